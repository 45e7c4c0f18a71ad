# SPDX-License-Identifier: MIT
# Completion of tbrsim's command line for bash. The command itself says what its options are (--help=options).

# The value that an option's line of --help=options names, of the words that it can be.
_tbrsim_value()
{
   local value=$1 word=$2 tbrsim=$3 before=
   case $value in
   NAME\|FILE.yaml*) COMPREPLY=($(compgen -W "$("$tbrsim" configs 2>/dev/null | cut -d ' ' -f 1)" -f -- "$word")) ;;
   KEY=*)
      COMPREPLY=($(compgen -S = -W "$("$tbrsim" configs --flat tcor-baseline-64k 2>/dev/null | cut -d = -f 1)" -- "$word"))
      compopt -o nospace 2>/dev/null
      ;;
   DIR*) COMPREPLY=($(compgen -d -- "$word")) ;;
   *FILE*) COMPREPLY=($(compgen -f -- "$word")) ;;
   *[!a-z,\|]*) ;; # a number, a name that only the command knows
   *,*)
      [[ $word != *,* ]] || before=${word%,*},
      COMPREPLY=($(compgen -P "$before" -W "${value//,/ }" -- "${word##*,}"))
      ;;
   *) COMPREPLY=($(compgen -W "${value//|/ }" -- "$word")) ;;
   esac
}

_tbrsim()
{
   local tbrsim=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
   local previous=${COMP_WORDS[COMP_CWORD - 1]} options value w
   COMPREPLY=()
   if ((COMP_CWORD == 1)); then
      COMPREPLY=($(compgen -W "$("$tbrsim" --help=options 2>/dev/null | cut -f 1) --help --version" -- "$word"))
      return
   fi
   for ((w = 2; w < COMP_CWORD; w++)); do
      [[ ${COMP_WORDS[w]} != -- ]] || break
   done
   if ((w < COMP_CWORD)); then
      # Behind "--": of run a program, of others files.
      if [[ $command = run ]] && declare -F _command_offset >/dev/null; then
         _command_offset $((w + 1))
      elif [[ $command = run ]] && ((COMP_CWORD == w + 1)); then
         COMPREPLY=($(compgen -c -- "$word"))
      else
         COMPREPLY=($(compgen -f -- "$word"))
      fi
      return
   fi
   options=$("$tbrsim" "$command" --help=options 2>/dev/null) || return
   if [[ $previous = --* ]]; then
      value=$(grep -m 1 -- "^$previous	" <<<"$options" | cut -f 2)
      if [[ -n $value && $value != \[* ]]; then
         _tbrsim_value "$value" "$word" "$tbrsim"
         return
      fi
   fi
   if [[ $word = -* ]]; then
      COMPREPLY=($(compgen -W "$(cut -f 1 <<<"$options")" -- "$word"))
   elif [[ $command = configs ]]; then
      COMPREPLY=($(compgen -W "$("$tbrsim" configs 2>/dev/null | cut -d ' ' -f 1)" -f -- "$word"))
   else
      COMPREPLY=($(compgen -f -- "$word"))
   fi
}
complete -o filenames -F _tbrsim tbrsim
