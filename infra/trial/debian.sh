#!/bin/sh
# debian.sh FOLDER: Debian 12 for a base image, from the mirror, with the options and the certificates that apt and pip of
# this machine are set to. Wants root and debootstrap.
set -eu
root=$1
export DEBIAN_FRONTEND=noninteractive
mirror=$(apt-get indextargets --format '$(CODENAME) $(SITE)' 2>/dev/null | sed -n 's/^bookworm //p' | head -n 1)
# shellcheck disable=SC2086  # none: debootstrap's own
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" ${mirror:-} >&2
if [ -n "$mirror" ]; then
  rm -f "$root/etc/apt/sources.list"
  grep -lrs bookworm /etc/apt/sources.list /etc/apt/sources.list.d | while read -r file; do cp "$file" "$root$file"; done
  cp /usr/share/keyrings/debian-archive-keyring.* "$root/usr/share/keyrings/"
fi
apt-config dump | grep -E '^Acquire::(http|https|Check)' >"$root/etc/apt/apt.conf.d/50machine" || true
cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
chroot "$root" update-ca-certificates >&2
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/archives/*.deb "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/*
