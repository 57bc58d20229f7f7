# Sourced by the scripts in tools/: where things are, how to say things, which compiler to use.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
deps=$root/.deps

# Tools that setup fetched go first; ip, tc and nft live in sbin, which an ordinary user's PATH may lack.
PATH=$deps/bin:$PATH:/usr/sbin:/sbin
export PATH

if [[ -t 1 ]]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi

say() { printf '%s\n' "$*"; }
heading() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Prints the first comment block of the calling script, which is its help.
help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p;}' "$0"; }

# version_at_least HAVE WANT
version_at_least() { printf '%s\n%s\n' "$2" "$1" | sort -V -C; }

# The newest GCC that can compile the project, as the suffix of its command: "" for g++, "-12" for g++-12.
# Fails when there is none.
gcc_suffix() {
  local suffix major
  for suffix in '' -15 -14 -13 -12; do
    command -v "g++$suffix" > /dev/null && command -v "gcc$suffix" > /dev/null || continue
    major=$("g++$suffix" -dumpversion)
    if ((${major%%.*} >= 12)); then
      printf '%s' "$suffix"
      return 0
    fi
  done
  return 1
}

# use_compiler: exports CC and CXX when the default compiler is too old, unless the user has chosen one.
use_compiler() {
  local suffix
  [[ -z ${CXX:-} ]] || return 0
  suffix=$(gcc_suffix) || die "no GCC 12 or newer; run tools/setup"
  if [[ -n $suffix ]]; then export CC=gcc$suffix CXX=g++$suffix; fi
}

# check_arguments PROGRAM [ARGUMENT...]: ends here, before anything is installed or built, when a Python program's
# arguments are wrong or ask for its help.
check_arguments() {
  local argument
  # What is missing itself is installed by tools/setup; the program then checks its arguments anyhow.
  command -v python3 > /dev/null || return 0
  python3 "$1" --check-only "${@:2}" || exit
  for argument in "${@:2}"; do
    case $argument in -h | --help) exit 0 ;; esac
  done
}

# Shows how far ninja is, in one line that it removes at the end.
show_progress() {
  local line
  while IFS= read -r line; do
    [[ $line == \[*/*\]* ]] && printf '\r\e[K  %s]' "${line%%\]*}"
  done
  printf '\r\e[K'
}

# build PRESET [TARGET...]: configures and builds; shows the compiler's output only when it fails.
build() {
  local preset=$1 log=$root/build/$1.log targets=()
  shift
  (($# == 0)) || targets=(--target "$@")
  [[ $preset == fuzz ]] || use_compiler
  mkdir -p "$root/build"
  if [[ -e $root/build/$preset/build.ninja ]]; then
    say "Building what has changed (preset $preset; output in ${log#"$root"/}) ..."
  else
    say "Building preset $preset, which takes some minutes (output in ${log#"$root"/}) ..."
  fi
  if ! (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" "${targets[@]}") \
    2>&1 < /dev/null | tee "$log" | if [[ -t 1 ]]; then show_progress; else cat > /dev/null; fi; then
    grep -nE -A 12 'error:|FAILED:|CMake Error|undefined reference' "$log" | head -n 60 >&2 || true
    die "the build of preset $preset failed; the whole output is in ${log#"$root"/}"
  fi
}
