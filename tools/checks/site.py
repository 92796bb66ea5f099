# SPDX-License-Identifier: Apache-2.0
"""DocC makes the documentation of the libraries as one site, .build/docs, without a warning.

The articles are Sources/**/*.docc. Each library becomes an archive. An archive may link to the libraries that its
library depends on: ``/IAP2/Endpoint`` in IAP2Roles. `docc merge` joins the archives and makes the first page. To read
the site: python3 -m http.server -d .build/docs 8080, then open http://localhost:8080/documentation/
"""
from __future__ import annotations

import concurrent.futures
import os
import pathlib
import shutil
import subprocess

from .facts import Facts, run
from .report import Failure, Report

NAME = "swift-iap2"
SITE = ".build/docs"


def find_docc(facts: Facts) -> str:
    """Returns the path of `docc`: in PATH, or beside the compiler."""
    if found := shutil.which("docc"):
        return found
    beside = pathlib.Path(facts.toolchain["paths"]["runtimeResourcePath"]).parents[1] / "bin/docc"
    if beside.is_file():
        return str(beside)
    raise Failure(f"docc is neither in PATH nor at {beside}; install a Swift toolchain that has it")


class Archives:
    """The archives of the libraries, in a folder."""

    def __init__(self, facts: Facts, folder: pathlib.Path):
        self.facts, self.folder = facts, folder
        self.docc = find_docc(facts)
        self.warnings: dict[str, str] = {}  # what DocC printed about a library

    def path(self, name: str) -> str:
        """Returns the path of a library's archive."""
        return str(self.folder / f"{name}.doccarchive")

    def convert(self, name: str) -> None:
        """Makes the archive of a library."""
        source = self.facts.root / self.facts.target_folders[name]
        command = [self.docc, "convert", *map(str, sorted(source.glob("*.docc"))), "--additional-symbol-graph-dir",
                   str(self.facts.graphs[name]), "--output-dir", self.path(name),
                   "--enable-experimental-external-link-support", "--fallback-display-name", name,
                   "--fallback-default-module-kind", "Library"]
        for other in self.facts.needed_libraries[name]:
            command += ["--dependency", self.path(other)]
        done = subprocess.run([*command, "--warnings-as-errors"], cwd=self.facts.root, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = done.stdout.decode(errors="replace")
        if done.returncode or "warning:" in text:
            self.warnings[name] = text
            # The libraries above need the archive, or every link to this library would be a warning too.
            run(*command, root=self.facts.root)

    def convert_all(self) -> None:
        """Makes all archives, as many at a time as there are processors."""
        tasks: dict[str, concurrent.futures.Future] = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            def work(name: str) -> None:
                for other in self.facts.needed_libraries[name]:
                    tasks[other].result()
                self.convert(name)

            # Dependencies come first, so a task waits only for tasks that have started.
            for name in self.facts.needed_libraries:
                tasks[name] = pool.submit(work, name)
            for task in tasks.values():
                task.result()

    def merge(self, site: pathlib.Path) -> None:
        """Joins the archives to a site, in the order of Package.swift."""
        order = [name for name in self.facts.target_folders if name in self.facts.needed_libraries]
        made = self.folder / "site"
        run(self.docc, "merge", *map(self.path, order), "--synthesized-landing-page-name", NAME, "--output-path",
            str(made), root=self.facts.root)
        run("rm", "-rf", str(site))
        shutil.move(made, site)


def check(facts: Facts) -> Report:
    """Makes the site."""
    archives = Archives(facts, facts.folder("site"))
    archives.convert_all()
    if archives.warnings:
        return Report([f"{name}:\n{text.strip()}" for name, text in sorted(archives.warnings.items())],
                      f"DocC has warnings on {len(archives.warnings)} libraries")
    archives.merge(facts.root / SITE)
    pages = sum(1 for _ in (facts.root / SITE / "data").rglob("*.json"))
    return Report([], f"{len(facts.libraries)} libraries, {pages} pages in {SITE}")
