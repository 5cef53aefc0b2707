{{- define "croupier.labels" -}}
app.kubernetes.io/name: croupier
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Of .own if it names one, as a service does while versions are changed in an order; else the house's. */}}
{{- define "croupier.image" -}}
{{- $image := ternary .own .root.Values.image (or (not (empty .own.digest)) (not (empty .own.tag))) -}}
{{ .root.Values.image.name }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag }}{{ end }}
{{- end }}

{{/* Digest of the list of files of that image: of another image it is another one. */}}
{{- define "croupier.manifest" -}}
{{- if or .own.digest .own.tag -}}
{{- if and .root.Values.image.manifestSha256 (not .own.manifestSha256) }}{{ fail "a service has an image of its own and no manifestSha256 of it: with the house's it would not start" }}{{ end -}}
{{ .own.manifestSha256 }}
{{- else -}}
{{ .root.Values.image.manifestSha256 }}
{{- end -}}
{{- end }}

{{- define "croupier.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "croupier.containerSecurity" -}}
{{ include "croupier.container" (dict "root" . "own" dict) }}
{{- end }}

{{- define "croupier.container" -}}
image: {{ include "croupier.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/* The files of one process, and a place in memory for its copy of a password file: libpq's has to be its owner's alone. */}}
{{- define "croupier.volumes" -}}
- name: files
  secret: {secretName: {{ .root.Values.secrets }}-{{ .process }}, defaultMode: 0440}
- name: own
  emptyDir: {medium: Memory, sizeLimit: 16Mi}
{{- end }}

{{- define "croupier.mounts" -}}
- {name: files, mountPath: /run/croupier, readOnly: true}
- {name: own, mountPath: /tmp}
{{- end }}

{{- define "croupier.kafka" -}}
- {name: KAFKA_BOOTSTRAP_SERVERS, value: {{ .root.Values.kafka.servers | quote }}}
- {name: CROUPIER_KAFKA_USER, value: {{ .user }}}
- {name: CROUPIER_KAFKA_PASSWORD_FILE, value: /run/croupier/{{ .user }}.kafka}
{{- if .root.Values.kafka.tls }}
- {name: CROUPIER_KAFKA_CA_FILE, value: /run/croupier/ca.pem}
{{- end }}
{{- with .root.Values.kafka.prefix }}
- {name: CROUPIER_TOPIC_PREFIX, value: {{ . | quote }}}
{{- end }}
{{- with include "croupier.manifest" (dict "root" .root "own" (.own | default dict)) }}
- {name: CROUPIER_MANIFEST_SHA256, value: {{ . | quote }}}
{{- end }}
{{- end }}

{{- define "croupier.database" -}}
- {name: DATABASE_URL, value: "postgresql://{{ .user }}@{{ .root.Values.postgres.address }}?passfile=/tmp/{{ .user }}.pgpass"}
{{- end }}

{{/* `install` takes the file of a container that was started before in the same pod away first. */}}
{{- define "croupier.withPassfile" -}}
["sh", "-c", "install -m 600 /run/croupier/{{ .user }}.pgpass /tmp/ && exec \"$@\"", "sh"]
{{- end }}

{{/* What a NetworkPolicy calls ports: of .address, as its scheme has it where it names none, and .more. */}}
{{- define "croupier.ports" -}}
{{- $url := urlParse .address }}
{{- $named := ternary (splitList ":" $url.host | last) (ternary "80" "443" (eq $url.scheme "http")) (contains ":" $url.host) }}
{{- $numbers := list (int $named) }}
{{- range .more }}{{ $numbers = append $numbers (int .) }}{{ end }}
{{- $ports := list }}
{{- range uniq $numbers }}{{ $ports = append $ports (dict "port" .) }}{{ end }}
{{- toJson $ports }}
{{- end }}

{{/* `settings` of everybody, .own over them, and where traces go: a variable stands once. */}}
{{- define "croupier.settings" -}}
{{- $all := merge (dict) (.own | default dict) .root.Values.settings }}
{{- with .root.Values.otlp.endpoint }}{{ $all = merge $all (dict "OTEL_EXPORTER_OTLP_ENDPOINT" .) }}{{ end }}
{{- range $variable, $value := $all }}
- {name: {{ $variable }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{/* Components of the gateways' pods: `gateway`, and `gateway-NAME` of each floor. */}}
{{- define "croupier.gateways" -}}
{{- $found := list "gateway" }}
{{- range $name, $floor := .Values.gateway.floors }}{{ $found = append $found (printf "gateway-%s" $name) }}{{ end }}
{{- toJson $found }}
{{- end }}

{{/* How many gateways a floor has at least: .root, .floor. */}}
{{- define "croupier.ofFloor" -}}
{{- .floor.replicas | default (max 2 .root.Values.gateway.replicas) }}
{{- end }}

{{- define "croupier.checkpoints" -}}
{{ merge (dict "name" "checkpoints") (.Values.audit.checkpoints | default (dict "emptyDir" dict)) | toJson }}
{{- end }}

{{/* The pod of one service: .root, .service; .files: what its settings name; .http, .database: whether it has them;
     .component, .resources: where they are another's than the service's; .floors: whether it is told where floors are. */}}
{{- define "croupier.pod" -}}
{{- $component := .component | default .service -}}
{{- $resources := .resources | default (index .root.Values .service).resources -}}
{{- $own := (index .root.Values .service).image | default dict -}}
metadata:
  labels:
    {{- include "croupier.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ $component }}
spec:
  serviceAccountName: {{ .root.Release.Name }}
  {{- include "croupier.podSecurity" .root | nindent 2 }}
  terminationGracePeriodSeconds: {{ .root.Values.gracePeriodSeconds }}
  {{- with .root.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: {matchLabels: {app.kubernetes.io/instance: {{ .root.Release.Name }}, app.kubernetes.io/component: {{ $component }}}}
  containers:
    - name: {{ .service }}
      {{- include "croupier.container" (dict "root" .root "own" $own) | nindent 6 }}
      {{- if .database }}
      command: {{ include "croupier.withPassfile" (dict "user" .service) }}
      {{- end }}
      args: ["python3", "-m", "services.{{ .service }}"]
      env:
        {{- include "croupier.kafka" (dict "root" .root "user" .service "own" $own) | nindent 8 }}
        - {name: CROUPIER_INNER_HOST, value: "0.0.0.0"}
        - {name: CROUPIER_INNER_PORT, value: "9080"}
        - {name: CROUPIER_MARKS_FILE, value: /run/croupier/{{ .service }}.json}
        - {name: CROUPIER_INSTANCE, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: TMPDIR, value: /var/tmp/idle}  # streams that are put by, a month of hands: they grow with the house, so no memory
        {{- if hasKey .files "CROUPIER_SEAL_FILE" }}
        - {name: CROUPIER_IDLE_FOLDER, value: /var/tmp/idle/kept}  # lasts as long as the pod: a container starts again from it
        {{- end }}
        {{- range $variable, $file := .files }}
        - {name: {{ $variable }}, value: /run/croupier/{{ $file }}}
        {{- end }}
        {{- if .database }}
        {{- include "croupier.database" (dict "root" .root "user" .service) | nindent 8 }}
        {{- end }}
        {{- if .http }}
        - {name: CROUPIER_HTTP_HOST, value: "0.0.0.0"}
        - {name: CROUPIER_HTTP_PORT, value: "8080"}
        - {name: CROUPIER_OPERATORS_FILE, value: /run/croupier/operators.json}
        {{- with .root.Values.oidc.issuer }}
        - {name: CROUPIER_OIDC_ISSUER, value: {{ . | quote }}}
        - {name: CROUPIER_OIDC_AUDIENCE, value: {{ $.root.Values.oidc.audience | quote }}}
        {{- end }}
        {{- end }}
        {{- range $variable, $value := .more }}
        - {name: {{ $variable }}, value: {{ $value | quote }}}
        {{- end }}
        {{- include "croupier.settings" (dict "root" .root "own" (index .root.Values .service).settings) | nindent 8 }}
      ports:
        - {name: inner, containerPort: 9080}
        {{- if .http }}
        - {name: http, containerPort: 8080}
        {{- end }}
      {{- if eq .service "gateway" }}
      # One that is deleted serves on until the ingress sends nobody here any more. Without this a player who is moved may be
      # sent back to it, and waits until the connect to an address that is gone gives up.
      lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}
      {{- end }}
      # Live: it answers. Ready: what it is for is done (docs/sre.md). Both on the inner port, which nobody outside reaches.
      startupProbe: {httpGet: {path: /health/live, port: inner}, periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 90}
      livenessProbe: {httpGet: {path: /health/live, port: inner}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
      readinessProbe: {httpGet: {path: /health/ready, port: inner}, periodSeconds: 3, timeoutSeconds: 3, failureThreshold: 2}
      resources: {{ toJson $resources }}
      volumeMounts:
        {{- include "croupier.mounts" . | nindent 8 }}
        - {name: idle, mountPath: /var/tmp/idle}
        {{- if .floors }}
        - {name: floors, mountPath: /run/floors, readOnly: true}  # a folder: with subPath the kubelet never renews the file
        {{- end }}
        {{- if eq .service "audit" }}
        - {name: checkpoints, mountPath: /var/lib/checkpoints}
        {{- end }}
  volumes:
    {{- include "croupier.volumes" (dict "root" .root "process" .service) | nindent 4 }}
    - {name: idle, emptyDir: {}}
    {{- if .floors }}
    - {name: floors, configMap: {name: {{ .root.Release.Name }}-floors}}
    {{- end }}
    {{- if eq .service "audit" }}
    - {{ include "croupier.checkpoints" .root }}
    {{- end }}
{{- end }}
