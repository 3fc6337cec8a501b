#compdef meshcast
# completion.zsh - meshcast in zsh: the Tab key offers commands, options, values and files.
#
# Installed as _meshcast in a folder that zsh searches ($fpath), or read by
# `source cli/completion.zsh` after compinit.
#
# What could stand next is asked of the program itself (`meshcast complete`), so this file knows no
# command and no option. Beside each command and option stands the first line of its help.

_meshcast()
{
    local program=${(Q)words[1]} begun=${(Q)PREFIX} line word
    local -a before whole whole_shown open open_shown
    before=("${(@Q)words[2,CURRENT-1]}")
    program=${program/#\~\//$HOME/}

    for line in "${(@f)$("$program" complete --describe -- "${before[@]}" "$begun" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        word=${line%%$'\t'*}
        if [[ $word == FILE || $word == "FILE "* ]]; then
            word=${${word#FILE}# }
            [[ -z $word ]] || compset -P "${(b)word}"
            _files
        elif [[ $word == *[=/:] ]]; then
            # more belongs to this word, so no blank follows it
            open+=("$word")
            open_shown+=("${line/$'\t'/  -- }")
        else
            whole+=("$word")
            whole_shown+=("${line/$'\t'/  -- }")
        fi
    done
    if [[ "$whole_shown" == *"  -- "* ]]; then
        compadd -l -d whole_shown -a whole
    else
        compadd -a whole
    fi
    compadd -S '' -d open_shown -a open
}

# a file of $fpath is the function itself at first; one that was read by `source` is not
if [[ ${funcstack[1]} == _meshcast ]]; then
    _meshcast "$@"
else
    compdef _meshcast meshcast
fi
