# What the scripts of Python clients share: an environment, sources, and the command. Sourced with $client set, in the repository.
#
# Environment: CLIENTS_FOLDER, the folder of environments and sources (target/clients); LANEWORK, the command (else it is built); EXEC, options of
# `lanework exec` (--plain); SECONDS_EACH, most for one test (60).
set -uo pipefail
clients=${CLIENTS_FOLDER:-$PWD/target/clients}
folder=$clients/$client
python=$folder/bin/python

# packages PACKAGE...: the environment, installed when it is not there.
packages() {
    [ -x "$python" ] || python3 -m venv "$folder" || exit 1
    [ "$(cat "$folder/packages" 2> /dev/null)" = "$*" ] && return
    "$python" -m pip install --quiet --no-compile "$@" || exit 1
    echo "$*" > "$folder/packages"
}

# sources REPOSITORY REVISION: prints the folder with the sources, fetched when it is not there.
sources() {
    local to=$clients/src/${1##*/}
    if [ ! -d "$to" ]; then
        git init --quiet "$to" && git -C "$to" fetch --quiet --depth 1 "https://github.com/$1" "$2" \
            && git -C "$to" checkout --quiet FETCH_HEAD || { echo "cannot fetch $1 at $2" >&2; exit 1; }
    fi
    echo "$to"
}

# modules: makes the Python package's modules for frameworks importable; they need no build.
modules() {
    mkdir -p "$folder/modules/lanework"
    cp crates/bindings/python/python/lanework/{_xla,jax,tensorflow,torch}.py "$folder/modules/lanework/"
    export PYTHONPATH=$folder/modules
}

# run COMMAND...: on the emulated GPU.
run() {
    # shellcheck disable=SC2086
    "$LANEWORK" exec ${EXEC:---plain} -- "$@"
}

# tests NAME ARGUMENTS...: pytest in a process of its own; prints its last line. The log is beside the environment.
tests() {
    local name=$1
    shift
    run "$python" -m pytest -p no:cacheprovider -q -rfE --tb=short --timeout="${SECONDS_EACH:-60}" "$@" > "$folder/$name.log" 2>&1
    echo "$name: $(grep -aE '[0-9]+ (passed|failed|skipped|error|deselected)|no tests' "$folder/$name.log" | tail -1)"
}

if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet || exit 1
    cargo build --release --quiet -p lanework-cufft -p lanework-cusolver || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
