#!/bin/sh
# install_torch.sh PYTHON: torch into the environment of this interpreter, in the pinned version, by uv where it is there.
# What is installed on Linux brings 4 GB of CUDA: where no GPU is found, PyTorch's own index of builds for the CPU is taken,
# if it answers within 5 s. TORCH_INDEX=URL is another such index, TORCH_INDEX= none.
set -eu
python=$1
index=${TORCH_INDEX-https://download.pytorch.org/whl/cpu}
pins=${CONSTRAINTS-$(dirname "$0")/constraints.txt}
uv=$(dirname "$python")/uv

install() {
  if [ -x "$uv" ]; then
    if "$uv" pip install --python "$python" -q -c "$pins" "$@" torch; then return; fi
    echo "uv could not; once more by pip" >&2
  fi
  "$python" -m pip install --disable-pip-version-check --progress-bar off -q -c "$pins" "$@" torch
}

answers() {  # the alarm also ends a lookup of the name, which urlopen's own limit does not
  "$python" -c 'import signal, sys, urllib.request as r; signal.alarm(5); r.urlopen(sys.argv[1] + "/torch/", timeout=5)' "$1" 2>/dev/null
}

if [ -n "$index" ] && [ "$(uname -s)" = Linux ] && ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  if answers "${index%/}"; then
    # without what torch needs, which comes with the rest: that index has no pinned versions of it
    echo "no GPU was found: torch for the CPU, from $index"
    if install --no-deps --index-url "$index"; then exit 0; fi
  else
    echo "no GPU was found, and $index does not answer: torch as PyPI has it, which may bring 4 GB of CUDA"
  fi
fi
install
