#!/usr/bin/env python3
"""Compiles and runs public CUDA C++ with Lanework's own compiler; prints rates by origin and the most frequent errors.

    scripts/cuda_corpus.py                          # everything: fetches the sources first
    scripts/cuda_corpus.py --origin samples --seconds 60
    scripts/cuda_corpus.py --every 10 --no-run      # a tenth of the files, device code only

Each file's device code is compiled by `lanework inspect`. A program is then run by `lanework run`, with the other sources
that its Makefile names. Its arguments are those in `scripts/clients/hecbench.sh`, which make the problem small, or else
those of the Makefile's `run` target, in which numbers of repetitions become 1. If it takes too long, it is run again with
smaller numbers, which the column `smaller` counts. A program that says that it needs several GPUs gets two. The sources stay
in `target/cuda-corpus`; LANEWORK_SOURCES names a folder that has them already, as `OWNER+NAME/repo` (bare or not). Results of
every file: `target/cuda-corpus/results.tsv`.

Needs git and a built command (`--lanework`). No compiler of NVIDIA's may be on the path: the command would choose it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys

# Name, repository, revision, the files by a pattern of their paths, and whether they contain CUDA C++ in Python strings.
ORIGINS = [
    ("samples", "NVIDIA/cuda-samples", "c94ff366aed18c797b8a85dfaac7817b0228b420", r"/0_Introduction/.*\.cu$", False),
    ("samples-rest", "NVIDIA/cuda-samples", "c94ff366aed18c797b8a85dfaac7817b0228b420", r"/(2_Concepts|3_CUDA|6_Perf).*\.cu$", False),
    ("pmpp", "psmarter/PMPP-Learning", "fe07c6b411bd9cad8704bc8baa22b5c15f4e2912", r"\.cu$", False),
    ("leetgpu", "lzyrapx/LeetGPU", "6f17c2ab85ab933e6e2faf038b6188ebf052843a", r"\.cu$", False),
    ("leetcuda", "xlite-dev/LeetCUDA", "cb6a0497e829741fc5e3ad5e43a5beed0d85edcd", r"\.cu$", False),
    ("llm.c", "karpathy/llm.c", "f1e2ace651495b74ae22d45d1723443fd00ecd3a", r"\.cu$", False),
    ("sgemm", "siboehm/SGEMM_CUDA", "60cba6f9b20a198116c76f18de8047f44df8c8b8", r"\.cu$", False),
    ("rodinia", "yuhc/gpu-rodinia", "9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4", r"^cuda/.*\.cu$", False),
    ("hecbench", "zjin-lcf/HeCBench", "f27000a5188f8ac79bd43fc95a1b3f890c18823d", r"-cuda/.*\.cu$", False),
    ("cuda-l1", "deepreinforce-ai/CUDA-L1", "51e8356bf844101cab2aeeca4bdff47ebb1953b8", r"codes/a100\.json$", True),
    ("leaderboard", "anneouyang/KernelBenchLeaderboard", "170ca7965f53bba599d1078b6fcaa5dd2658ec50", r"solutions/.*\.py$", True),
]
# The least that a file needs, from the last pattern that fits: 1 C and CUDA's built-ins, 2 templates and classes, 3 small
# floats, 4 inline PTX, tensor cores and cooperative groups, 5 libraries.
TIERS = [
    (2, r"\btemplate\b|\bauto\b|\bstruct\b|\bclass\b|\[[&=]?\]\s*(__device__)?\s*\("),
    (3, r"cuda_fp16|cuda_bf16|cuda_fp8|\bhalf2?\b|bfloat16|__nv_fp8"),
    (4, r"\basm\b|wmma|cooperative_groups|cuda/barrier|cuda/pipeline|cuda_pipeline|\btexture<|cudaTextureObject"),
    (5, r"<cub/|<thrust/|<cute/|<cutlass|<ATen/|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|<mpi|\bGL/"),
]
MAIN = re.compile(r"^\s*(?:int|auto|void|extern \"C\" int)\s+main\s*\(", re.M)
# Sources and data: everything but documents and projects of other tools.
LEFT_OUT = re.compile(r"\.(md|rst|pdf|svg|gif|webp|docx?|pptx?|ipynb|sln|vcxproj\w*)$|(^|/)(doc|docs)/")
LARGEST = 4 << 20
# What a program says that ends because it needs several GPUs.
SEVERAL_GPUS = re.compile(r"(two or more|at least two|multiple|more than one) .*GPUs?\b.*\b(required|found)", re.I)
# A program that needs more time than the limit, but runs with 1 iteration and other numbers from 512 on divided by 16.
SMALLER = "ok with smaller arguments"


def contents(repository, revision, paths):
    """The contents of files, by one process; a snapshot may lack large ones."""
    asked = "".join(f"{revision}:{path}\n" for path in paths).encode()
    output = subprocess.run(["git", f"--git-dir={repository}", "cat-file", "--batch"], input=asked,
                            capture_output=True).stdout
    at = 0
    for path in paths:
        end = output.index(b"\n", at)
        about = output[at:end].split()
        at = end + 1
        if len(about) == 3 and about[1] == b"blob":
            yield path, output[at:at + int(about[2])]
            at += int(about[2]) + 1


def repository(name, revision, work):
    """The git directory of a repository that has the revision."""
    if given := os.environ.get("LANEWORK_SOURCES"):
        folder = pathlib.Path(given) / name.replace("/", "+") / "repo"
        return folder / ".git" if (folder / ".git").is_dir() else folder
    folder = work / "git" / name.replace("/", "+")
    if not folder.is_dir():
        subprocess.run(["git", "init", "--quiet", "--bare", folder], check=True)
        url = f"https://github.com/{name}"
        subprocess.run(["git", f"--git-dir={folder}", "fetch", "--quiet", "--depth", "1", url, revision], check=True)
    return folder


def strings_of(value):
    """The strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings_of(part)


def strings_with_kernels(name, text):
    """CUDA C++ in the strings of Python programs, which a JSON file contains."""
    for program in strings_of(json.loads(text)) if name.endswith(".json") else [text]:
        for found in re.finditer(r"r?(\"\"\"|''')(.*?)\1", program, re.S):
            if "__global__" in found[2]:
                raw = program[found.start()] == "r"
                yield found[2] if raw else found[2].replace("\\\\", "\\").replace('\\"', '"')


def place(origin, work):
    """Writes an origin's sources; returns the files to compile."""
    name, source, revision, pattern, strings = origin
    folder, git_folder = work / "files" / source.replace("/", "+"), repository(source, revision, work)
    listed = subprocess.run(["git", f"--git-dir={git_folder}", "ls-tree", "-r", "-l", "-z", revision],
                            capture_output=True, text=True, check=True).stdout.split("\0")
    sizes = {}
    for about, path in (line.split("\t", 1) for line in listed if line):
        size = about.split()[3]
        sizes[path] = int(size) if size.isdigit() else LARGEST
    wanted = sorted(path for path in sizes if re.search(pattern, path))
    if strings:
        files = []
        for path, text in contents(git_folder, revision, wanted):
            for count, part in enumerate(strings_with_kernels(path, text.decode(errors="replace"))):
                file = folder / f"{pathlib.Path(path).stem}-{count}.cu"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(part)
                files.append(file)
        return files
    # Programs of HeCBench use headers, data and other sources of their SYCL versions.
    roots = {"hecbench": r"-cuda/|/include/|/data/|-sycl/", "rodinia": "^cuda/|^common|^data/"}
    kept = [path for path in sizes if not LEFT_OUT.search(path) and sizes[path] < LARGEST
            and re.search(roots.get(origin[0], ""), path) and not (folder / path).exists()]
    if kept:
        for path, content in contents(git_folder, revision, kept):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    return [folder / path for path in wanted if (folder / path).is_file()]


def whole(files):
    """The text of each file that is a unit (not included by another one, and with CUDA code), and the included files."""
    included, texts = set(), {file: file.read_text(errors="replace") for file in files}
    for folder in {file.parent for file in files}:
        near = [path for kind in ("h", "cuh", "hpp", "cpp", "c", "cc", "cu") for path in folder.glob(f"*.{kind}")]
        for path in near:
            text = texts[path] if path in texts else path.read_text(errors="replace")
            for found in re.finditer(r'^\s*#\s*include\s*"([^"]+\.(?:cu|cpp|c|cc))"', text, re.M):
                included.add((folder / found[1]).resolve())
    cuda = re.compile(r"__global__|__device__|<<<|\bcuda[A-Z]\w+")
    units = {file: text for file, text in texts.items() if file.resolve() not in included and cuda.search(text)}
    return units, included


def tier(text):
    return max([1, *(number for number, pattern in TIERS if re.search(pattern, text))])


def makefile(file):
    """Folders of headers, the sources, the arguments of the `run` target, and the macros, of the Makefile that builds a file."""
    near = [folder / name for folder in (file.parent, file.parent.parent) for name in ("Makefile", "CMakeLists.txt")]
    path = next((path for path in near if path.is_file()), None)
    text = re.sub(r"\\\n", " ", path.read_text(errors="replace")) if path else ""
    for name, value in re.findall(r"^(\w+)\s*:?=\s*([\w./-]+)\s*$", text, re.M):
        text = text.replace(f"$({name})", value)
    folders = [path.parent / folder for folder in re.findall(r"-I\s*([^\s$]+)", text)]
    run = re.search(r"^run\s*:.*\n((?:[\t ].*\n?)*)", text, re.M)
    script = next((place / "run" for place in (file.parent, file.parent.parent) if (place / "run").is_file()), None)
    lines = run[1].splitlines() if run else []
    lines += script.read_text(errors="replace").splitlines() if script else []
    # The first command with a program of its folder: `./program`, or `folder/program` in a script.
    command = next((line for line in lines if re.match(r"(?!\s*#).*(\./|^\w+/\w+ )", line)), "")
    arguments = re.sub(r"^.*?(?<!\.)\./\S+|^\w+/\w+ |[;|>].*$", "", command).split()
    always = re.sub(r"^if(n?eq|n?def)\b.*?^endif|^\s*#.*?$", "", text, flags=re.M | re.S)
    macros = re.findall(r"(?<!\S)-D\s*(\w+(?:=[\w.+-]+)?)(?=\s|$)", always)
    usual = ("include", "inc", "util", "utils", "common", "Common")
    folders += [root / name for root in list(file.parents)[:4] for name in usual]
    named = re.findall(r"[\w./-]+\.(?:cu|cpp|cc|c|o)\b", text)
    for pattern in re.findall(r"\$\(wildcard ([\w./*-]+\.(?:cu|cpp|cc|c))\)", text):
        named += [os.path.relpath(found, path.parent) for found in sorted(path.parent.glob(pattern))]
    sources = [path.parent / name if name[-2:] != ".o" else found for name in named for found in
               ([(path.parent / name).with_suffix(kind) for kind in (".cu", ".cpp", ".cc", ".c")] if name[-2:] == ".o" else [None])]
    sources = [source for source in dict.fromkeys(sources) if source and source.is_file()]
    arguments = [] if any("$" in one for one in arguments) else arguments
    return [str(folder) for folder in folders if folder.is_dir()], sources, arguments, macros


def small_arguments():
    """The arguments that make problems of HeCBench small, by the folder of a program."""
    text = (pathlib.Path(__file__).parent / "clients/hecbench.sh").read_text()
    lines = re.search(r"^programs='\n(.*?)'", text, re.M | re.S)[1].splitlines()
    return {f"{words[0]}-cuda": words[1:] for words in map(str.split, lines) if words}


SMALL = small_arguments()


def program(file, text, sources, included):
    """The files of the program that a file belongs to, the one with `main` first; empty if another file represents the program."""
    def has_main(path):
        return bool(MAIN.search(path.read_text(errors="replace")))
    others = [path for path in sources if path.resolve() != file.resolve() and path.resolve() not in included]
    if MAIN.search(text):
        return [file, *(path for path in others if not has_main(path))]
    mains = [path for path in others if has_main(path)]
    units = [path for path in sources if path.suffix == ".cu" and path.resolve() not in included]
    if len(mains) != 1 or mains[0].suffix == ".cu" or units[:1] != [file]:
        return []
    return [mains[0], file, *(path for path in others if path not in mains)]


def few_repetitions(arguments, text, words="repeat"):
    """The arguments, with 1 for those that the program's usage text calls `repeat`: later repetitions only measure time."""
    for usage in re.findall(r"usage\b(.*)", text, re.I):
        names = re.findall(r"[<\[]([^<>\[\]]+)[>\]]", re.sub(r"argv\s*\[0\]", "", usage))
        if len(names) == len(arguments):
            return ["1" if re.match(words, name, re.I) and value.isdigit() else value
                    for name, value in zip(names, arguments)]
    return arguments


def made_smaller(arguments, text):
    """The arguments with 1 iteration, and other numbers from 512 on divided by 16."""
    few = few_repetitions(arguments, text, r"(number of )?(repeat|iteration|pass|step|timestep)")
    return [str(int(one) // 16) if one.isdigit() and int(one) >= 512 else one for one in few]


def first_error(text):
    """The first error, without the file's own words."""
    found = re.search(r"^error(\[\w+\])?: (?!Lanework)(.*)$", text, re.M)
    return found[0].strip()[:160] if found else (text.strip().splitlines() or ["no message"])[-1][:160]


def limit(seconds):
    """Limits the processor time of a new process, so that other work of the machine does not matter."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))


def command(arguments, file, folders, seconds, gpus=1):
    # Programs of MPI read the rank that `mpirun -n 1` gives them.
    environment = {**os.environ, "CPATH": ":".join(folders), "LANEWORK_CACHE_DIR": "off", "LANG": "C",
                   "LANEWORK_GPUS": str(gpus), "OMPI_COMM_WORLD_LOCAL_RANK": "0"}
    try:
        done = subprocess.run(arguments, cwd=file.parent, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20 * seconds,
                              preexec_fn=lambda: limit(seconds))
        code, output = done.returncode, (done.stdout + done.stderr).decode(errors="replace")
        # The command reports a signal that ended the program as 128 + its number.
        code = None if not 0 <= code <= 128 and abs(code) % 128 in (signal.SIGXCPU, signal.SIGKILL) else code
    except subprocess.TimeoutExpired as stopped:
        code, output = None, ((stopped.stdout or b"") + (stopped.stderr or b"")).decode(errors="replace")
    return code, output


def outcome(code, output):
    """What became of a run: `ok`, or why not."""
    wrong = re.search(r"^.*(test failed|result: fail|mismatch|verification failed).*$", output, re.M | re.I)
    if code is None:
        return "over time"
    if code == 0:
        return f"exit 0; says {wrong[0].strip()[:80]}" if wrong else "ok"
    if code == 2 and "did not compile" in output:
        return first_error(output)
    data = re.search(r"^.*(not|can't|unable to|failed to|error)\s(open|read|load|find)\w*\s.*$|^.*No such file.*$", output, re.M | re.I)
    if data and not re.search(r"^error", output, re.M):
        return f"lacks data: {data[0].strip()[:80]}"
    return f"exit {code}: {first_error(output)}"


def examine(options, origin, file, text, included):
    """One file: its device code, and its run."""
    folders, sources, arguments, macros = makefile(file)
    options_of_source = [f"-D{macro}" for macro in macros]
    if origin == "hecbench" and not options.full:
        arguments = SMALL.get(file.parent.name, arguments)
    lanework = str(options.lanework)
    files = program(file, text, sources, included)
    if options.only_run and not files:
        return None
    code, output = (0, "Lanework compiled") if options.only_run else command(
        [lanework, "inspect", *options_of_source, file.name], file, folders, options.seconds)
    if code == 0 and not re.search("Lanework compiled", output) and "__global__" in text:
        sys.exit(f"another compiler than Lanework's compiled {file}: take it off the path")
    no_kernel = "has no kernel" in output or "no entry" in output
    device = "ok" if code == 0 or no_kernel else "over time" if code is None else first_error(output)
    if options.no_run or not files:
        return origin, file, tier(text), device, "-"
    names = [os.path.relpath(path, file.parent) for path in files]
    whole_text = "".join(path.read_text(errors="replace") for path in files)
    if not options.full:
        arguments = few_repetitions(arguments, whole_text)
    def run_with(arguments):
        arguments = [lanework, "run", *options_of_source, *names, "--", *arguments]
        code, output = command(arguments, file, folders, options.seconds)
        if code and SEVERAL_GPUS.search(output):
            code, output = command(arguments, file, folders, options.seconds, gpus=2)
        return outcome(code, output)

    run = run_with(arguments)
    smaller = made_smaller(arguments, whole_text)
    if run == "over time" and smaller != arguments and not options.full:
        again = run_with(smaller)
        run = SMALLER if again == "ok" else run
    return origin, file, tier(text), device, run


def share(part, all_):
    return f"{part}/{all_} ({100 * part / all_:.0f} %)" if all_ else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lanework", type=pathlib.Path, default=pathlib.Path("target/release/lanework"))
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/cuda-corpus"))
    parser.add_argument("--origin", help="only these, separated by commas")
    parser.add_argument("--only", default="", help="a pattern of paths")
    parser.add_argument("--every", type=int, default=1, help="only each N-th file of an origin")
    parser.add_argument("--seconds", type=float, default=40, help="the most processor time for one command")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-run", action="store_true", help="compile device code only")
    parser.add_argument("--only-run", action="store_true", help="only programs; do not compile device code alone")
    parser.add_argument("--full", action="store_true", help="keep the arguments, also repetitions of timed kernels")
    parser.add_argument("--errors", type=int, default=30, help="how many frequent errors to print")
    options = parser.parse_args()
    options.lanework, work = options.lanework.resolve(), options.folder.resolve()
    work.mkdir(parents=True, exist_ok=True)
    jobs = []
    for origin in ORIGINS:
        if options.origin and origin[0] not in options.origin.split(","):
            continue
        files, included = whole(place(origin, work))
        chosen = [file for file in sorted(files) if re.search(options.only, str(file))][:: options.every]
        jobs += [(origin[0], file, files[file], included) for file in chosen]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(work / "results.tsv", "w") as table:
        for row in filter(None, pool.map(lambda job: examine(options, *job), jobs)):
            print(*row, sep="\t", file=table, flush=True)
            rows.append(row)
    print(f"{'origin':14}{'device code':>20}{'programs that run':>24}{'smaller':>12}{'over time':>12}")
    for name in [*dict.fromkeys(row[0] for row in rows), "all"]:
        group = [row for row in rows if name in (row[0], "all")]
        programs = [row[4] for row in group if row[4] != "-"]
        device = share(sum(row[3] == "ok" for row in group), len(group))
        print(f"{name:14}{device:>20}{share(programs.count('ok'), len(programs)):>24}"
              f"{programs.count(SMALLER):>12}{programs.count('over time'):>12}")
    for number in range(1, 6):
        group = [row for row in rows if row[2] == number]
        print(f"tier {number}: {share(sum(row[3] == 'ok' for row in group), len(group))} compile")
    for title, column in (("device code", 3), ("programs", 4)):
        counts = collections.Counter(row[column] for row in rows if row[column] not in ("ok", "-", SMALLER))
        print(f"\nMost frequent first errors, {title}:")
        for message, count in counts.most_common(options.errors):
            print(f"{count:5}  {message}")


if __name__ == "__main__":
    main()
