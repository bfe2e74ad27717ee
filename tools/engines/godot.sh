#!/bin/bash
# godot.sh TARGET - put a Godot 4 of Debian (forky, else sid; amd64), with its own libc and Mesa, into TARGET.
# The machine is not changed and root is not needed: apt, with folders of its own, only resolves, verifies and downloads;
# dpkg -x unpacks. Takes half a minute and 0.5 GB the first time. Then run TARGET/bin/godot.
set -euo pipefail
T=$(realpath -m "${1:?usage: godot.sh TARGET}")
W=$T.part.$$
mkdir -p "$(dirname "$T")"
exec 9>"$T.lock"; flock 9                        # of two at once the second waits, and then finds it done
if "$T/bin/godot" --version 2>/dev/null | grep '^4\.'; then exit 0; fi
[ ! -e "$T" ] || [ -e "$T/packages.txt" ] || rmdir "$T"   # a folder that is not ours stays as it is
trap 'rm -rf "$W"' EXIT
A=$W/apt R=$W/root
mkdir -p "$A"/{lists,archives}/partial "$A/empty" "$R"/usr/{bin,sbin,lib,lib64} "$W/bin"
: >"$A/status"                                   # nothing counts as installed, so that libc comes too
for d in bin sbin lib lib64; do ln -s usr/$d "$R/$d"; done
O=(-q -o "Dir::Etc::sourcelist=$A/s.list" -o "Dir::Etc::sourceparts=$A/empty"
   -o "Dir::Etc::preferences=$A/none" -o "Dir::Etc::preferencesparts=$A/empty"
   -o "Dir::State=$A" -o "Dir::State::status=$A/status" -o "Dir::State::lists=$A/lists"
   -o "Dir::Cache=$A" -o "Dir::Cache::archives=$A/archives" -o "Dir::Cache::pkgcache=pkg.bin"
   -o "Dir::Log=$A" -o APT::Sandbox::User= -o Acquire::Retries=3 -o Acquire::Languages=none)
P=(godot libgl1 libglx-mesa0 libegl1 libegl-mesa0)
KEY=/usr/share/keyrings/debian-archive-keyring.gpg
show() { sed -E 's#(https?://)[^/ ]+#\1MIRROR#g; s# *\[IP: [^]]*\]##' "$A/log" >&2; }   # a mirror's name is nobody's business
ok=
for m in $(apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | sort -u); do
  for s in forky sid; do
    echo "deb [signed-by=$KEY] $m $s main" >"$A/s.list"
    apt-get "${O[@]}" update >"$A/log" 2>&1 || { show; continue; }
    [[ $(apt-cache "${O[@]}" policy godot) == *"Candidate: 4."* ]] || continue   # grep -q would end the pipe too early
    nice apt-get "${O[@]}" -y --no-install-recommends --download-only install "${P[@]}" >"$A/log" 2>&1 &&
      { ok=$s; break 2; } || show
  done
done
[ -n "$ok" ] || { echo "godot.sh: there is no Godot 4 in forky or sid of this machine's Debian mirror" >&2; exit 1; }
for d in "$A"/archives/*.deb; do nice dpkg -x "$d" "$R"; basename "$d"; done >"$W/packages.txt"
rm -rf "$A" "$R"/usr/share/{doc,man,locale,lintian}
cat >"$W/bin/godot" <<'END'
#!/bin/sh
# Runs this folder's Godot with this folder's ld.so. LD_LIBRARY_PATH stays unset, so that child programs are the host's.
B=$(readlink -f "$0"); R=${B%/bin/godot}/root L=$R/usr/lib/x86_64-linux-gnu
export GODOT_BIN="$B" XLOCALEDIR="$R/usr/share/X11/locale" XKB_CONFIG_ROOT="$R/usr/share/X11/xkb"
export __EGL_VENDOR_LIBRARY_DIRS="$R/usr/share/glvnd/egl_vendor.d" LIBGL_DRIVERS_PATH="$L/dri"
exec "$R/lib64/ld-linux-x86-64.so.2" --library-path "$L:$L/pulseaudio" --argv0 "$0" "$R/usr/bin/godot" "$@"
END
chmod +x "$W/bin/godot"
"$W/bin/godot" --version >/dev/null              # a Godot that does not run is not kept
rm -rf "$T"; mv "$W" "$T"
"$T/bin/godot" --version
