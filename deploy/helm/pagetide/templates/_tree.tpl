{{/*
The chart is the Kustomize tree of deploy/kubernetes, which `tree/` leads to: nothing of it is
written twice. These read the folders as kustomize does, as far as that tree uses it. Each is
given `to`, where what is found is put: objects, settings and tags of images.
*/}}

{{/* Merge what is in `from` into `into`, as RFC 7386 does: maps by key, `null` removes. */}}
{{- define "pagetide.merge" }}
{{- range $key, $value := .from }}
{{- $there := get $.into $key }}
{{- if kindIs "invalid" $value }}
{{- $_ := unset $.into $key }}
{{- else if and (kindIs "map" $value) (kindIs "map" $there) }}
{{- include "pagetide.merge" (dict "into" $there "from" $value) }}
{{- else }}
{{- $_ := set $.into $key $value }}
{{- end }}
{{- end }}
{{- end }}

{{/* Apply a patch, a map with a `target`, to the objects that it means. */}}
{{- define "pagetide.patch" }}
{{- $patch := .patch }}
{{- $kind := .target.kind | default $patch.kind }}
{{- $name := .target.name | default ($patch.metadata | default dict).name }}
{{- $kept := list }}
{{- range .to.objects }}
{{- $meant := and (regexMatch (printf "^(%s)$" $kind) .kind) (regexMatch (printf "^(%s)$" $name) .metadata.name) }}
{{- if not (and $meant (eq (get $patch "$patch") "delete")) }}
{{- $kept = append $kept . }}
{{- end }}
{{- if $meant }}
{{- $from := deepCopy (omit $patch "apiVersion" "kind") }}
{{- $_ := set $from "metadata" (omit ($from.metadata | default dict) "name") }}
{{- include "pagetide.merge" (dict "into" . "from" $from) }}
{{- end }}
{{- end }}
{{- $_ := set .to "objects" $kept }}
{{- end }}

{{/* The text of a file, with the release's namespace and the places of its queues in it. */}}
{{- define "pagetide.text" }}
{{- $text := required (printf "the chart has no %s" .path) (.root.Files.Get .path) }}
{{- $text = replace ".pagetide.svc" (printf ".%s.svc" .root.Release.Namespace) $text }}
{{- if ne .root.Release.Namespace "pagetide" }}{{/* what is the cluster's, each release has its own of */}}
{{- $text = replace "pagetide-worker-pods" (printf "pagetide-worker-pods-%s" .root.Release.Namespace) $text }}
{{- end }}
{{- if eq .root.Values.queue "sqs" }}
{{- $text = replace "eu-central-1" .root.Values.sqs.region $text | replace "123456789012" .root.Values.sqs.account }}
{{- else if eq .root.Values.queue "azure-queue" }}
{{- $text = replace "mystorage" .root.Values.azure.account $text }}
{{- end }}
{{- $text }}
{{- end }}

{{/* Put what a folder's kustomization.yaml says into `to`. */}}
{{- define "pagetide.folder" }}
{{- $at := . }}
{{- $told := include "pagetide.text" (dict "root" .root "path" (printf "%s/kustomization.yaml" .folder)) | fromYaml }}
{{- range concat ($told.resources | default list) ($told.components | default list) }}
{{- $path := clean (printf "%s/%s" $at.folder .) }}
{{- if hasSuffix ".yaml" . }}
{{- range splitList "\n---\n" (include "pagetide.text" (dict "root" $at.root "path" $path)) }}
{{- $_ := set $at.to "objects" (append $at.to.objects (fromYaml .)) }}
{{- end }}
{{- else }}
{{- include "pagetide.folder" (dict "root" $at.root "to" $at.to "folder" $path) }}
{{- end }}
{{- end }}
{{- range $told.configMapGenerator }}
{{- $lines := .literals | default list }}
{{- range .envs }}
{{- $lines = concat $lines (include "pagetide.text" (dict "root" $at.root "path" (printf "%s/%s" $at.folder .)) | trim | splitList "\n") }}
{{- end }}
{{- range $lines }}
{{- $pair := splitn "=" 2 . }}
{{- $_ := set $at.to.settings $pair._0 $pair._1 }}
{{- end }}
{{- $files := dict }}
{{- range .files }}
{{- $_ := set $files (base .) ($at.root.Files.Get (printf "%s/%s" $at.folder .)) }}
{{- end }}
{{- if $files }}
{{- $metadata := dict "name" .name "labels" (deepCopy .options.labels) }}
{{- $_ := set $at.to "objects" (append $at.to.objects (dict "apiVersion" "v1" "kind" "ConfigMap" "metadata" $metadata "data" $files)) }}
{{- end }}
{{- end }}
{{- range $told.images }}
{{- $_ := set $at.to.tags .name .newTag }}
{{- end }}
{{- range $told.patches }}
{{- $patch := .patch }}
{{- with .path }}
{{- $patch = include "pagetide.text" (dict "root" $at.root "path" (printf "%s/%s" $at.folder .)) }}
{{- end }}
{{- include "pagetide.patch" (dict "to" $at.to "target" (.target | default dict) "patch" (fromYaml $patch)) }}
{{- end }}
{{- end }}
