#!/bin/sh
# install.sh PYTHON [WHAT...]: torch and WHAT (-e ., -r FILE, a wheel) into the environment of this interpreter, in the
# versions of CONSTRAINTS=FILE or our own, by uv, which takes a fraction of pip's time, or by pip where uv cannot.
# torch as PyPI has it for Linux brings 4 GB of CUDA: where no GPU is found, PyTorch's own index of builds for the CPU is
# taken, if it answers within 5 s. TORCH_INDEX=URL is another such index, TORCH_INDEX= none.
set -eu
python=$1
shift
index=${TORCH_INDEX-https://download.pytorch.org/whl/cpu}
pins=${CONSTRAINTS-$(dirname "$0")/constraints.txt}
uv=$(dirname "$python")/uv

with_pip() { "$python" -m pip install --disable-pip-version-check --progress-bar off -q -c "$pins" "$@"; }
# uv does not read pip's settings, of which those of the environment are listed first
configured() { "$python" -m pip config list | sed -n -e "s/^:env:\.$1='\(.*\)'$/\1/p" -e "s/^global\.$1='\(.*\)'$/\1/p" | head -n 1; }

install() {
  if "$uv" pip install --python "$python" -q -c "$pins" "$@"; then return; fi
  echo "uv could not; once more by pip" >&2
  with_pip "$@"
}

answers() {  # the alarm also ends a lookup of the name, which urlopen's own limit does not
  "$python" -c 'import signal, sys, urllib.request as r; signal.alarm(5); r.urlopen(sys.argv[1] + "/torch/", timeout=5)' "$1" 2>/dev/null
}

install_torch() {
  if [ -n "$index" ] && [ "$(uname -s)" = Linux ] && ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
    if answers "${index%/}"; then
      # without what torch needs, which comes with the rest: that index has no pinned versions of it
      echo "no GPU was found: torch for the CPU, from $index"
      if install --no-deps --index-url "$index" torch; then return; fi
    else
      echo "no GPU was found, and $index does not answer: torch as PyPI has it, which may bring 4 GB of CUDA"
    fi
  fi
  install torch
}

[ -x "$uv" ] || with_pip uv
mirror=$(configured index-url)
cert=$(configured cert)
if [ -n "$mirror" ]; then export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX-$mirror}"; fi
if [ -n "$cert" ]; then export SSL_CERT_FILE="${SSL_CERT_FILE-$cert}"; fi

# before the rest, so that what needs it takes this build of it
"$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))' || install_torch
if [ $# -gt 0 ]; then install "$@"; fi
