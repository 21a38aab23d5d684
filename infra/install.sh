#!/bin/sh
# install.sh PYTHON WHAT...: the pinned versions of torch and WHAT (-e ., a wheel) into the environment of this interpreter,
# by uv, which takes a quarter of pip's time, or by pip where uv cannot.
#
# What is installed as torch on Linux brings 4 GB of CUDA: where no GPU is found, PyTorch's own index of builds for the CPU
# is taken, if it answers within 5 s. TORCH_INDEX=URL is another such index, TORCH_INDEX= none; CONSTRAINTS=FILE other pins.
set -eu
python=$1
shift
index=${TORCH_INDEX-https://download.pytorch.org/whl/cpu}
pins=${CONSTRAINTS-$(dirname "$0")/constraints.txt}
bin=$(dirname "$python")

with_pip() { "$python" -m pip install --disable-pip-version-check --progress-bar off -q -c "$pins" "$@"; }
configured() { "$python" -m pip config get "global.$1" 2>/dev/null || true; }  # uv does not read pip's settings

[ -x "$bin/uv" ] || with_pip uv
mirror=${PIP_INDEX_URL-$(configured index-url)}
cert=${PIP_CERT-$(configured cert)}
if [ -n "$mirror" ]; then export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX-$mirror}"; fi
if [ -n "$cert" ]; then export SSL_CERT_FILE="${SSL_CERT_FILE-$cert}"; fi

install() {
  "$bin/uv" pip install --python "$python" -q -c "$pins" "$@" || {
    echo "uv could not; once more by pip" >&2
    with_pip "$@"
  }
}

answers() {  # the alarm also ends a lookup of the name, which urlopen's own limit does not
  "$python" -c 'import signal, sys, urllib.request as r; signal.alarm(5); r.urlopen(sys.argv[1] + "/torch/", timeout=5)' "$1" 2>/dev/null
}

for_cpu() {  # true where torch for the CPU was installed
  [ -n "$index" ] && [ "$(uname -s)" = Linux ] || return 1
  if nvidia-smi -L 2>/dev/null | grep -q GPU; then return 1; fi
  if ! answers "${index%/}"; then
    echo "no GPU was found, and $index does not answer: torch as PyPI has it, which may bring 4 GB of CUDA"
    return 1
  fi
  echo "no GPU was found: torch for the CPU, from $index"
  # without what it needs, which comes with the rest: that index does not have the pinned versions
  install --no-deps --index-url "$index" torch
}

if ! "$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))'; then
  for_cpu || install torch  # before the rest, so that what needs it takes this build of it
fi
install "$@"
