{{- define "croupier.acls" -}}
{{- $ := . }}
{{- range .acls }}
- resource: {type: {{ .type }}, name: {{ printf "%s%s" $.prefix (replace "LOGIN" $.login .name) | quote }}, patternType: {{ .pattern }}}
  operations: [{{ .operation }}]
{{- end }}
{{- end }}
