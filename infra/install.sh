#!/bin/sh
# install.sh PYTHON WHAT...: torch and WHAT (-e ., a wheel) into the environment of this interpreter, in the versions of
# CONSTRAINTS=FILE or our own, by uv, which takes a fraction of pip's time, or by pip where uv cannot.
set -eu
python=$1
shift
here=$(dirname "$0")
pins=${CONSTRAINTS-$here/constraints.txt}
bin=$(dirname "$python")

with_pip() { "$python" -m pip install --disable-pip-version-check --progress-bar off -q -c "$pins" "$@"; }
configured() { "$python" -m pip config get "global.$1" 2>/dev/null || true; }  # uv does not read pip's settings

[ -x "$bin/uv" ] || with_pip uv
mirror=${PIP_INDEX_URL-$(configured index-url)}
cert=${PIP_CERT-$(configured cert)}
if [ -n "$mirror" ]; then export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX-$mirror}"; fi
if [ -n "$cert" ]; then export SSL_CERT_FILE="${SSL_CERT_FILE-$cert}"; fi

# before the rest, so that what needs it takes this build of it
"$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))' || "$here/install_torch.sh" "$python"
if ! "$bin/uv" pip install --python "$python" -q -c "$pins" "$@"; then
  echo "uv could not; once more by pip" >&2
  with_pip "$@"
fi
