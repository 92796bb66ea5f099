# SPDX-License-Identifier: Apache-2.0
"""Head units and phones find each other by Avahi between two hosts, and Avahi's own tools agree with what they say."""
from __future__ import annotations

import json
import os

from .facts import Facts, run
from .report import Failure, Report


def check(facts: Facts) -> Report:
    """Runs the cases in network namespaces of their own, which end with the run."""
    facts.shell("install_packages $(missing_discovery_packages)")
    folder = facts.folder("discovery")
    # Without root a namespace of users gives the rights inside it.
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    try:
        said = run(
            "unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "python3", "-B",
            "tools/checks/discovery_hosts.py", facts.iap2, str(folder), root=facts.root)
    except Failure as failure:
        return Report([str(failure)], "not run")
    result = json.loads(said.stdout)
    summary = f"{result['cases']} cases between two hosts, with Avahi on each"
    if result["again"]:
        summary += "; passed by a second attempt: " + "; ".join(fault.splitlines()[0] for fault in result["again"])
    return Report(result["faults"], summary)
