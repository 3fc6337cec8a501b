# completion.bash - meshcast in bash: the Tab key offers commands, options, values and files.
#
# Installed as share/bash-completion/completions/meshcast, or read by `source cli/completion.bash`.
#
# What could stand next is asked of the program itself (`meshcast complete`), so this file knows no
# command and no option. It puts the words together that bash cut at "=" and ":", lets the program
# answer, and takes off what bash has in front of the cursor already. It needs nothing of the
# package bash-completion, and no /dev/fd, as "< <(..)" would.

# Files whose names begin with $1, as words behind $2.
_meshcast_files()
{
    local file
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        [[ -n $file ]] || continue
        [[ -d $file ]] && file+=/
        COMPREPLY+=("$2$file")
    done <<<"$(compgen -f -- "$1")"
}

# Puts the words before the cursor into `words`, from behind the program's name, the last one being
# that at the cursor; `redirects` says that it is the file of a redirection.
_meshcast_words()
{
    local i word glue=
    words=() redirects=
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word =~ ^[0-9]*[\<\>]+[\&\|]?$ && $i -lt $COMP_CWORD ]]; then
            ((++i == COMP_CWORD)) && words+=("${COMP_WORDS[i]}") redirects=1
        elif [[ $word =~ ^[=:]+$ && ${#words[@]} -gt 0 ]]; then
            words[${#words[@]} - 1]+=$word
            glue=1
            continue
        elif [[ -n $glue ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        glue=
    done
}

_meshcast()
{
    local -a words
    local redirects line i
    local program=${COMP_WORDS[0]/#\~/$HOME} current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    _meshcast_words
    [[ ${#words[@]} -gt 0 ]] || words=("")

    # quotes are bash's, not the program's
    for i in "${!words[@]}"; do
        words[i]=${words[i]#[\"\']}
        ((i == ${#words[@]} - 1)) || words[i]=${words[i]%[\"\']}
        words[i]=${words[i]//\\/}
    done
    local whole=${words[${#words[@]} - 1]}
    current=${current#[\"\']}
    current=${current//\\/}
    [[ $current =~ ^[=:]+$ ]] && current=
    local before=${whole%"$current"}

    if [[ -n $redirects ]]; then
        _meshcast_files "$whole" ""
        return
    fi
    while IFS= read -r line; do
        [[ -n $line ]] || continue
        if [[ $line == FILE || $line == "FILE "* ]]; then
            line=${line#FILE}
            line=${line# }
            _meshcast_files "${whole#"$line"}" "$line"
        else
            COMPREPLY+=("$line")
        fi
    done <<<"$("$program" complete -- "${words[@]}" 2>/dev/null)"

    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$before"}
    done
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/:] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

complete -F _meshcast meshcast
