"""All that must hold of an installation, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.deploy.kubernetes import (
    rules_clouds,
    rules_doors,
    rules_names,
    rules_network,
    rules_pods,
    rules_rights,
    rules_scaling,
    rules_settings,
    rules_watched,
    schemas,
)
from tests.deploy.kubernetes.cluster import Cluster, name_of

Rule = Callable[[Cluster], Iterator[str]]


def core_schema(cluster: Cluster) -> Iterator[str]:
    """Kubernetes knows every field of its own kinds, and takes its value."""
    for each in cluster.documents:
        for error in schemas.core_errors(each):
            yield f"{name_of(each)}: {error}"


def allowed_schema(cluster: Cluster) -> Iterator[str]:
    """Fields of other kinds are on our list."""
    for each in cluster.documents:
        for error in schemas.allowed_errors(each):
            yield f"{name_of(each)}: {error}"


def allowed_triggers(cluster: Cluster) -> Iterator[str]:
    """So are the triggers, with what they are told."""
    for owner, trigger in cluster.triggers():
        for error in schemas.trigger_errors(trigger, schemas.allowed_triggers()):
            yield f"{name_of(owner)}: {error}"


RULES: dict[str, Rule] = {
    each.__name__: each
    for each in (
        core_schema,
        allowed_schema,
        allowed_triggers,
        rules_scaling.no_replicas,
        rules_scaling.one_scaler,
        rules_scaling.bounds,
        rules_scaling.fallback,
        rules_scaling.speeds,
        rules_scaling.text_metadata,
        rules_scaling.counts_work,
        rules_scaling.woken_at_once,
        rules_scaling.one_worth,
        rules_scaling.jobs_to_their_end,
        rules_scaling.pools,
        rules_scaling.all_queues,
        rules_scaling.answers_where_asked,
        rules_scaling.authenticated,
        rules_pods.pinned,
        rules_rights.confined,
        rules_pods.sized,
        rules_pods.room,
        rules_pods.own_cores,
        rules_pods.small_nodes,
        rules_pods.gpus,
        rules_pods.probed,
        rules_pods.grace,
        rules_pods.mounts,
        rules_pods.shared_documents,
        rules_rights.tokens,
        rules_names.named_things_exist,
        rules_names.one_namespace,
        rules_names.selected,
        rules_names.ports,
        rules_names.drainable,
        rules_network.closed,
        rules_network.let_in,
        rules_network.let_out,
        rules_network.hosts_here,
        rules_clouds.identities,
        rules_clouds.accounts,
        rules_clouds.placed,
        rules_clouds.stored,
        rules_settings.settings_known,
        rules_settings.served,
        rules_settings.provisioned,
        rules_settings.body_limit,
        rules_doors.tls_alone,
        rules_doors.events_pass,
        rules_doors.answered,
        rules_watched.dashboards,
    )
}
