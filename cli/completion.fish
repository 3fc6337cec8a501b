# completion.fish - meshcast in fish: the Tab key offers commands, options, values and files.
#
# Installed as meshcast.fish in a folder that fish searches ($fish_complete_path), or read by
# `source cli/completion.fish`.
#
# What could stand next is asked of the program itself (`meshcast complete`), so this file knows no
# command and no option. Beside each command and option stands the first line of its help.

function __meshcast_complete
    set -l before (commandline -opc)
    set -l begun (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $before[1])
    set -e before[1]

    # a quote that is still open is fish's, not the program's
    set -l plain (string unescape -- $begun)
    or set plain (string replace -r '^["\']' '' -- $begun)

    for line in ($program complete --describe -- $before "$plain" 2>/dev/null)
        if string match -qr '^FILE( |$)' -- $line
            set -l text (string replace -r '^FILE ?' '' -- $line)
            set -l rest (string sub -s (math (string length -- "$text") + 1) -- "$plain")
            for file in (complete -C "'' "(string escape -- "$rest"))
                echo $text$file
            end
        else
            echo $line
        end
    end
end

complete -c meshcast -f -a '(__meshcast_complete)'
