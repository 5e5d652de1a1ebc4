# The builder would make Turnwise the default of a file type. This offers it under "Open with" only.
!macro turnwiseOffer EXT
  WriteRegNone SHELL_CONTEXT "Software\Classes\.${EXT}\OpenWithProgids" "Turnwise.Log"
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\Turnwise.Log" "" "Log of rollouts"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Turnwise.Log\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Turnwise.Log\shell\open\command" "" '"$appExe" "%1"'
  !insertmacro turnwiseOffer "jsonl"
  !insertmacro turnwiseOffer "eval"
!macroend

!macro customUnInstall
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.jsonl\OpenWithProgids" "Turnwise.Log"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.eval\OpenWithProgids" "Turnwise.Log"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Turnwise.Log"
!macroend
