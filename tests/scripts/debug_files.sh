# . debug_files.sh, after a definition of fail: reads stack traces of an installed program.

# line_of PROGRAM ADDRESS: "function, file:line" as addr2line finds it, by build id or beside the program.
line_of() { addr2line -f -C -e "$1" "$2" | paste -s -d ' '; }

# address_of DEBUG_FILE FUNCTION: the address where the function begins. The stripped program does not have it.
address_of() { nm -C "$1" | sed -n "s/^\([0-9a-f]*\) [tT] $2(.*/0x\1/p" | head -n 1; }

# expect_line PROGRAM ADDRESS FUNCTION FILE
expect_line() {
  case "$(line_of "$1" "$2")" in
    "$3("*" ./$4:"[1-9]*) ;;
    *) fail "$2 of $1 is '$(line_of "$1" "$2")', expected $3 in $4" ;;
  esac
}

# expect_no_line PROGRAM ADDRESS
expect_no_line() {
  case "$(line_of "$1" "$2")" in
    *' ??:'*) ;;  # a function that the dynamic linker sees may stand in front
    *) fail "$1 tells of lines without its debug file: $(line_of "$1" "$2")" ;;
  esac
}

# expect_stripped FILE...
expect_stripped() {
  for stripped; do
    if readelf -SW "$stripped" | grep -q -e '\.debug_' -e '\.symtab'; then fail "$stripped is not stripped"; fi
  done
}
