"""Which precision a processor's networks run in."""

import pytest

from pagetide.system import cpu


@pytest.mark.parametrize(
    ("features", "vendor", "expected"),
    [
        ({"avx512f", "avx512_bf16", "amx_bf16"}, "GenuineIntel", True),
        ({"avx512f", "avx512_bf16"}, "AuthenticAMD", True),
        ({"avx512f", "avx512_bf16"}, "GenuineIntel", False),  # as clouds show it without AMX
        ({"avx2"}, "AuthenticAMD", False),
        (set(), "", False),
    ],
)
def test_bf16_is_used_where_it_is_faster(
    features: set[str], vendor: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "features", lambda: frozenset(features))
    monkeypatch.setattr(cpu, "vendor", lambda: vendor)
    assert cpu.multiplies_bf16() is expected
