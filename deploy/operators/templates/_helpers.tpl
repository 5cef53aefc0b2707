{{- define "croupier.acls" -}}
{{- $ := . }}
{{- range .acls }}
{{- if eq .type "cluster" }}
- resource: {type: cluster}
{{- else }}
- resource: {type: {{ .type }}, name: {{ printf "%s%s" $.prefix (replace "LOGIN" $.login .name) | quote }}, patternType: {{ .pattern }}}
{{- end }}
  operations: [{{ .operation }}]
{{- end }}
{{- end }}
