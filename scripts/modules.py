#!/usr/bin/env python3
"""Fetches PTX modules that other projects ship, and counts how many of them `lanework inspect` accepts.

    python3 -m pip install lz4 zstandard
    cargo build --release -p lanework-cli
    python3 scripts/modules.py --folder /tmp/modules [--ptxas PATH] [--lanework PATH] [--only NAME]

Packages come through pip and cargo, some 500 MB, and are kept in the folder. PTX is taken from text
files, from fatbins inside libraries (stored, LZ4 or zstd), and from string constants of libraries.
Modules with the same text count once. A module is accepted if the emulator runs every entry and every
device function; with --ptxas, modules that ptxas refuses for their own target are counted separately.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# Wheels for Linux that ship CUDA code and are not too large.
WHEELS = """
astra-toolbox bitsandbytes catboost ctranslate2 cumm-cu120 cupoch faiss-gpu jax-cuda12-plugin numba-cuda
nvidia-nvjpeg-cu12 nvidia-nvjpeg2k-cu12 nvidia-nvtiff-cu12 spconv-cu120
""".split()
# Crates that ship PTX as text.
CRATES = {"rustacuda": "0.1.3", "cust": "0.3.2", "cudarc": "0.9.15", "custos": "0.7.0"}
PLATFORMS = "manylinux_2_28_x86_64 manylinux_2_27_x86_64 manylinux_2_24_x86_64 manylinux_2_17_x86_64 " \
    "manylinux2014_x86_64 any".split()
# The magic number of a fatbin. The header of each entry holds its kind.
FATBIN = struct.pack("<I", 0xBA55ED50)
PTX, COMPRESSED = 1, 0x2000
ZSTD = struct.pack("<I", 0xFD2FB528)
# At most this many modules per origin, so that none dominates the result, and at most this many bytes per module.
MOST, LONGEST = 150, 400_000


def fetch_wheels(folder, only):
    """Downloads the wheels that are missing."""
    for name in WHEELS:
        target = folder / "packages" / name
        if (only and name != only) or (target.exists() and any(target.iterdir())):
            continue
        target.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        command += ["--python-version", "3.11", "--implementation", "cp", "-d", str(target)]
        for abi in ("cp311", "abi3", "none"):
            command += ["--abi", abi]
        for platform in PLATFORMS:
            command += ["--platform", platform]
        if subprocess.run(command + [name], check=False).returncode:
            print(f"{name}: not fetched", file=sys.stderr)


def fetch_crates(folder, only):
    """Vendors the crates and their dependencies, if cargo is installed."""
    target = folder / "packages" / "crates"
    if only or target.exists():
        return
    with tempfile.TemporaryDirectory() as project:
        project = pathlib.Path(project)
        (project / "src").mkdir()
        (project / "src" / "lib.rs").write_text("")
        wanted = "".join(
            f'{name} = {{ version = "={version}", default-features = false }}\n'
            for name, version in CRATES.items())
        head = '[package]\nname = "modules"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n[dependencies]\n'
        (project / "Cargo.toml").write_text(head + wanted)
        command = ["cargo", "vendor", "-q", "--versioned-dirs", str(target)]
        subprocess.run(command, cwd=project, check=False, stdout=subprocess.DEVNULL)


def decompressed(data, size):
    """The text of a compressed entry."""
    if data[:4] == ZSTD:
        import zstandard
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
    import lz4.block
    return lz4.block.decompress(data, uncompressed_size=size)


def of_fatbins(blob):
    """The PTX of every fatbin in a file."""
    at = blob.find(FATBIN)
    while at >= 0:
        _, _, header, size = struct.unpack_from("<IHHQ", blob, at)
        entry, end = at + header, min(at + header + size, len(blob))
        while header == 16 and entry + 64 <= end:
            kind, _, head, payload = struct.unpack_from("<HHIQ", blob, entry)
            packed, = struct.unpack_from("<I", blob, entry + 16)
            flags, _, whole = struct.unpack_from("<QQQ", blob, entry + 40)
            if head < 64 or payload == 0 or entry + head + payload > end:
                break
            data = blob[entry + head:entry + head + payload]
            if kind == PTX:
                try:
                    yield decompressed(data[:packed], whole) if packed and whole else data
                except Exception as error:  # not a reason to stop: another entry may be fine
                    print(f"an entry of {len(data)} bytes, flags {flags:#x}: {error}", file=sys.stderr)
            entry += head + payload
        at = blob.find(FATBIN, at + 4)


START = re.compile(rb"\.version[ \t]+\d\.\d\s*\.target")


def of_text(blob):
    """The PTX that a file holds as text: the file, or constants in it that end with a NUL."""
    at = blob.find(b".version")
    while at >= 0:
        end = at + 8
        if START.match(blob, at):
            end = blob.find(b"\0", at)
            text = blob[at:end if end >= 0 else len(blob)]
            # Compressed text can start the same way, but its rest is not PTX.
            if b".entry" in text and text.isascii() and text.rstrip().endswith((b"}", b";")):
                yield text
            end = at + len(text)
        at = blob.find(b".version", end)


def blobs(path):
    """The files in a package that may hold PTX."""
    ends = (".so", ".ptx", ".fatbin", ".cubin", ".py", ".a", ".rs")
    like = lambda name: name.endswith(ends) or ".so." in name
    if path.suffix == ".whl" or path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in filter(like, archive.namelist()):
                yield archive.read(name)
    elif path.name.endswith(".tar.gz"):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and like(member.name):
                    yield archive.extractfile(member).read()
    elif like(path.name):
        yield path.read_bytes()


def extract(folder):
    """Writes the modules of each origin into a folder of its own; gives their paths by origin."""
    packages, found = folder / "packages", collections.defaultdict(list)
    origins = [(path.name, path) for path in packages.iterdir() if path.name != "crates"]
    for crate in sorted((packages / "crates").glob("*")) if (packages / "crates").exists() else []:
        if re.sub(r"-\d.*", "", crate.name) in CRATES:
            origins.append((crate.name, crate))
    seen = set()
    for origin, place in sorted(origins):
        target = folder / "modules" / origin
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(p for p in place.rglob("*") if p.is_file()):
            for blob in blobs(path):
                for text in list(of_fatbins(blob)) + list(of_text(blob)):
                    text = text.rstrip(b"\0")
                    digest = hashlib.sha256(text).hexdigest()[:16]
                    if digest in seen or b".version" not in text or len(text) > LONGEST:
                        continue
                    seen.add(digest)
                    found[origin].append((digest, text))
        # An even sample: the order of hashes is unrelated to the modules' content.
        found[origin] = sorted(found[origin])[:MOST]
        for digest, text in found[origin]:
            (target / f"{digest}.ptx").write_bytes(text)
        found[origin] = [target / f"{digest}.ptx" for digest, _ in found[origin]]
    return {origin: paths for origin, paths in found.items() if paths}


def normalized(reason):
    """A reason without the names of one module."""
    reason = reason.splitlines()[0] if reason else "no output"
    reason = re.sub(r" in `[^`]*`$", "", re.sub(r"^(error: )?[\w$]+: (?=unknown|call|variable)", "", reason))
    reason = re.sub(r"%\w+", "%r", re.sub(r"_Z\w+|\$\w+", "name", reason))
    return re.sub(r"\d+", "N", reason)[:110]


def inspect(lanework, path):
    """`None` if all of a module is accepted, else the reason."""
    try:
        run = subprocess.run([lanework, "inspect", "--json", path], capture_output=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "no answer within 300 s"
    try:
        found = json.loads(run.stdout)
    except ValueError:
        message = run.stderr.decode(errors="replace")
        return normalized(message.removeprefix("error: "))
    if "emulator" not in found:
        return normalized(str(found.get("error", found)).removeprefix("error: "))
    reasons = [*found["invalid"], found["emulator"], *found["refused"].values(), *found["refused_functions"].values()]
    reasons = [reason for reason in reasons if reason]
    return normalized(reasons[0].removeprefix("error: ")) if reasons or run.returncode else None


def refused_by_ptxas(ptxas, path):
    """Whether ptxas refuses a module for its own target, or for sm_75 where that is older."""
    target = re.search(r"\.target\s+(sm_(\d+)\w*)", path.read_text(errors="replace"))
    arch = target[1] if target and int(target[2]) >= 75 else "sm_75"
    run = subprocess.run([ptxas, "-O0", "-c", f"-arch={arch}", path, "-o", "/dev/null"], capture_output=True, check=False)
    return run.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--lanework", default="target/release/lanework")
    parser.add_argument("--ptxas")
    parser.add_argument("--only", help="fetch this package only")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    fetch_wheels(args.folder, args.only)
    fetch_crates(args.folder, args.only)
    modules = extract(args.folder)
    paths = [path for of_origin in modules.values() for path in of_origin]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        reasons = dict(zip(paths, pool.map(lambda path: inspect(args.lanework, path), paths)))
        refused = [path for path in paths if reasons[path]]
        no_ptx = dict(zip(refused, pool.map(lambda path: bool(args.ptxas) and refused_by_ptxas(args.ptxas, path), refused)))
    print("| origin | modules | accepted |\n| --- | --- | --- |")
    for origin, of_origin in sorted(modules.items()):
        print(f"| {origin} | {len(of_origin)} | {sum(not reasons[path] for path in of_origin)} |")
    accepted, valid = len(paths) - len(refused), len(paths) - sum(no_ptx.values())
    print(f"\n{accepted} of {len(paths)} modules of {len(modules)} origins are accepted ({100 * accepted / max(1, len(paths)):.1f} %)")
    if args.ptxas:
        print(f"{valid} of them ptxas accepts or we do ({100 * accepted / max(1, valid):.1f} % accepted)")
    counts = collections.Counter((reasons[path], no_ptx[path]) for path in refused)
    print("\n| modules | reason | ptxas |\n| --- | --- | --- |")
    for (reason, also), count in counts.most_common():
        print(f"| {count} | {reason} | {'refuses too' if also else ''} |")


if __name__ == "__main__":
    main()
