{{/* What the values make of the objects. */}}

{{/* Values that do not go together, each in a sentence; what stands alone is in the schema. */}}
{{- define "pagetide.check" }}
{{- $v := .Values }}
{{- $doors := or (has "gateway" $v.components) (has "ingress-tls" $v.components) }}
{{- $needs := list
  (list $v.blobs "blobs must say where documents are kept, such as s3://my-documents/pagetide?region=eu-central-1.")
  (list (or (not $v.secrets.create) $v.secrets.store) "secrets.store must say where jobs are kept, such as postgresql://…; or secrets.create must be false.")
  (list (or (not $v.secrets.create) $v.secrets.queue (eq $v.queue "store")) (printf "queue: %s needs secrets.queue; or secrets.create must be false." $v.queue))
  (list (or (not $v.secrets.create) $v.secrets.rabbitmq (ne $v.queue "rabbitmq")) "queue: rabbitmq needs secrets.rabbitmq, the management plug-in's https://…, which KEDA asks.")
  (list (or (ne $v.queue "sqs") (and $v.sqs.region $v.sqs.account)) "queue: sqs needs sqs.region and sqs.account.")
  (list (or (ne $v.queue "azure-queue") $v.azure.account) "queue: azure-queue needs azure.account.")
  (list (or $v.host (not $doors)) "gateway and ingress-tls need host, the API's name.")
  (list (or $v.gatewayClass (not (has "gateway" $v.components))) "gateway needs gatewayClass: `kubectl get gatewayclasses` lists them.")
  (list (not (and (has "gpu" $v.components) (has "hpa-gpu" $v.components))) "gpu and hpa-gpu scale the same workers: choose one of them.")
  (list (or $v.identity (not (has $v.cloud (list "gke" "aks")))) (printf "cloud: %s needs identity: whom pods are to be." $v.cloud))
  (list (or $v.cloud (not $v.identity)) "identity needs cloud: whose it is.")
}}
{{- range $name, $_ := $v.settings }}
{{- if has $name (list "PAGETIDE_STORE" "PAGETIDE_QUEUE" "PAGETIDE_SECRET") }}
{{- fail (printf "%s is a secret: secrets.%s takes it." $name (trimPrefix "PAGETIDE_" $name | lower)) }}
{{- end }}
{{- end }}
{{- range $needs }}
{{- if not (first .) }}{{ fail (last .) }}{{ end }}
{{- end }}
{{- end }}

{{/* The settings, from the tree, the models of further pools, and the values. */}}
{{- define "pagetide.settings" }}
{{- $settings := .to.settings }}
{{- range .to.objects }}
{{- with get (.metadata.annotations | default dict) "pagetide/models" }}
{{- $_ := set $settings "PAGETIDE_POOLS" (printf "%s\n%s" $settings.PAGETIDE_POOLS .) }}
{{- end }}
{{- end }}
{{- with .root.Values.host }}
{{- $_ := set $settings "PAGETIDE_PUBLIC_URL" (printf "https://%s" .) }}
{{- end }}
{{- $_ := set $settings "PAGETIDE_BLOBS" .root.Values.blobs }}
{{- range $name, $value := .root.Values.settings }}
{{- $_ := set $settings $name (toString $value) }}
{{- end }}
{{- end }}

{{/* Where the images of a pod are, and how they may be pulled. */}}
{{- define "pagetide.pod" }}
{{- $image := .root.Values.image }}
{{- range concat (.spec.initContainers | default list) .spec.containers }}
{{- $name := .image }}
{{- with get $.tags $name }}
{{- $tag := empty $image.tag | ternary . (regexReplaceAll "^[^-]+" . $image.tag) }}
{{- $name = printf "%s:%s" (list $image.registry $name | compact | join "/") $tag }}
{{- end }}
{{- $_ := set . "image" (get $.root.Values.images .image | default $name) }}
{{- end }}
{{- with $image.pullSecrets }}
{{- $names := list }}
{{- range . }}{{ $names = append $names (dict "name" .) }}{{ end }}
{{- $_ := set $.spec "imagePullSecrets" $names }}
{{- end }}
{{- end }}

{{/* The host of what leads in from the world, and the class of a Gateway. */}}
{{- define "pagetide.door" }}
{{- if eq .object.kind "Gateway" }}
{{- $_ := set .object.spec "gatewayClassName" .root.Values.gatewayClass }}
{{- $_ := set (first .object.spec.listeners) "hostname" .root.Values.host }}
{{- else if eq .object.kind "Ingress" }}
{{- $_ := set (first .object.spec.rules) "host" .root.Values.host }}
{{- $_ := set (first .object.spec.tls) "hosts" (list .root.Values.host) }}
{{- end }}
{{- end }}

{{/* The secrets, where they are to be made: entries of these names. */}}
{{- define "pagetide.secrets" }}
{{- $given := .root.Values.secrets }}
{{- $made := dict "pagetide" (dict "store" $given.store "queue" $given.queue "secret" $given.secret) "pagetide-key" (dict "token" $given.key) }}
{{- if eq .root.Values.queue "rabbitmq" }}
{{- $_ := set $made "pagetide-rabbitmq" (dict "host" $given.rabbitmq) }}
{{- end }}
{{- range $name, $entries := $given.create | ternary $made dict }}
{{- $data := dict }}
{{- range $key, $text := $entries }}{{ if $text }}{{ $_ := set $data $key (b64enc $text) }}{{ end }}{{ end }}
{{- $object := dict "apiVersion" "v1" "kind" "Secret" "type" "Opaque" "metadata" (dict "name" $name) "data" $data }}
{{- $_ := set $.to "objects" (append $.to.objects $object) }}
{{- end }}
{{- end }}

{{/* Whom pods are to be, in the cloud's words. */}}
{{- define "pagetide.account" }}
{{- $key := get (dict "eks" "eks.amazonaws.com/role-arn" "gke" "iam.gke.io/gcp-service-account" "aks" "azure.workload.identity/client-id") .root.Values.cloud }}
{{- with .root.Values.identity }}
{{- $_ := set $.object.metadata "annotations" (dict $key .) }}
{{- end }}
{{- end }}

{{/* Everything that is installed, as a list in JSON. */}}
{{- define "pagetide.objects" }}
{{- include "pagetide.check" . }}
{{- $root := . }}
{{- $to := dict "objects" list "settings" dict "tags" dict }}
{{- $folders := list (eq .Values.queue "store" | ternary "base" (printf "overlays/%s" .Values.queue)) }}
{{- range concat .Values.components (list .Values.cloud | compact) }}
{{- $folders = append $folders (printf "components/%s" .) }}
{{- end }}
{{- range $folders }}
{{- include "pagetide.folder" (dict "root" $root "to" $to "folder" (printf "tree/kubernetes/%s" .)) }}
{{- end }}
{{- include "pagetide.settings" (dict "root" $root "to" $to) }}
{{- $settings := dict "apiVersion" "v1" "kind" "ConfigMap" "metadata" (dict "name" "pagetide") "data" $to.settings }}
{{- $_ := set $to "objects" (append $to.objects $settings) }}
{{- include "pagetide.secrets" (dict "root" $root "to" $to) }}
{{- /* What is changed here starts the pods anew. */}}
{{- $sum := list $to.settings .Values.secrets | toJson | sha256sum | trunc 16 }}
{{- range $to.objects }}
{{- include "pagetide.door" (dict "root" $root "object" .) }}
{{- if eq .kind "ServiceAccount" }}{{ include "pagetide.account" (dict "root" $root "object" .) }}{{ end }}
{{- if has .kind (list "Deployment" "Job" "ScaledJob") }}
{{- $template := (.spec.jobTargetRef | default .spec).template }}
{{- include "pagetide.pod" (dict "root" $root "spec" $template.spec "tags" $to.tags) }}
{{- if eq (get $template.metadata.labels "app.kubernetes.io/name") "pagetide" }}
{{- $_ := set $template.metadata "annotations" (merge (dict "checksum/settings" $sum) ($template.metadata.annotations | default dict)) }}
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.patches }}
{{- include "pagetide.patch" (dict "to" $to "target" .target "patch" .patch) }}
{{- end }}
{{- $to.objects | toJson }}
{{- end }}
