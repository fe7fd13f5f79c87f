#!/bin/sh
# depends_of_test.sh ROOT DETENT: the Depends field names the packages of the program's libraries; a file without
# libraries, and a library of no package, are refused.
set -eu
root=$1 detent=$2
depends_of=$root/scripts/packaging/depends_of
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "depends_of: $1" >&2
  exit 1
}

found=$("$depends_of" objdump "$detent")
for package in libc6 libonnx1 libprotobuf32; do
  case ", $found" in *", $package"*) ;; *) fail "no $package in '$found'" ;; esac
done
! "$depends_of" objdump "$root/README.md" 2>/dev/null || fail "a text has packages"
printf '#!/bin/sh\necho "  NEEDED libc.so.6"; echo "  NEEDED libnowhere.so.1"\n' >"$work/objdump"
chmod +x "$work/objdump"
! "$depends_of" "$work/objdump" x 2>"$work/error" || fail "a library of no package has one"
grep -q "no installed package has libnowhere.so.1" "$work/error" || fail "it says: $(cat "$work/error")"
echo "depends_of: all cases as expected"
