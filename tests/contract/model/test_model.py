"""HNS, called at random by both faces, is what a small model of it in plain Python is."""

from __future__ import annotations

import logging

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.contract.model.containers import ContainerRules
from tests.contract.model.networks import NetworkRules
from tests.contract.model.policy_lists import PolicyListRules

pytestmark = pytest.mark.ours("our model of HNS; what it says, the tests of one behaviour each say with a source")

RELEASES = ("ws2019", "ws2022", "ws2025")
_STEPS_A_RUN = 50


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("release_name", RELEASES)
def test_hns_is_what_its_model_is(release_name: str, steps: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "hnsfake")  # refusals of the kernel are meant

    class Hns(NetworkRules, ContainerRules, PolicyListRules):
        release = release_name

    run_state_machine_as_test(
        Hns,
        settings=settings(
            max_examples=max(1, steps // _STEPS_A_RUN // len(RELEASES)),
            stateful_step_count=_STEPS_A_RUN,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
