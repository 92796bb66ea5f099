# SPDX-License-Identifier: Apache-2.0
"""Sessions, cars and pictures at random, whose invariants are checked."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from .common import ROOT, build_program, command_of, die, say

def summary(path):
    """Returns the summary of a shard that was played to its end; None otherwise."""
    try:
        last = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    except (OSError, IndexError, ValueError):
        return None
    return last if "sessions" in last else None


def sessions(arguments):
    if not 1 <= arguments.shards <= arguments.seeds or arguments.jobs < 1:
        die("at least one session in each part, and one thread", 64)
    command = command_of(arguments)
    record = pathlib.Path(arguments.record or ROOT / ".build" / "proof" / f"sessions-{arguments.seeds}").resolve()
    record.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + arguments.minutes * 60 if arguments.minutes else None
    began = time.monotonic()
    played = 0
    shards = [record / f"shard-{number}-of-{arguments.shards}.json" for number in range(arguments.shards)]
    for number, path in enumerate(shards):
        if summary(path):
            continue
        if end and time.monotonic() >= end:
            break
        process = subprocess.run(
            command + ["simulate", "--seeds", f"0..<{arguments.seeds}", "--shard", f"{number}/{arguments.shards}",
                       "--jobs", str(arguments.jobs), "--json"],
            stdin=subprocess.DEVNULL, capture_output=True,
        )
        if process.returncode not in (0, 1):
            die(process.stderr.decode(errors="replace"), process.returncode)
        new = path.with_suffix(".new")
        new.write_bytes(process.stdout)
        new.rename(path)
        played += 1
        say(f"shard {number} of {arguments.shards}: {path.name}")
    done = [path for path in shards if summary(path)]
    if not done:
        die("no shard was played to its end")
    seconds = time.monotonic() - began
    say(f"{len(done)} of {arguments.shards} shards played, {played} of them now in {seconds:.0f} s with "
        f"{arguments.jobs} jobs; the record is {record}")
    # Without all shards the command adds up what there is and ends with 1.
    merged = subprocess.run(
        command + ["simulate"] + [word for path in done for word in ("--merge", str(path))], stdin=subprocess.DEVNULL)
    sys.exit(merged.returncode)


# Steps of a seed, seeds of a process, and seconds after which a process is a hang: one takes a second.
CAR_STEPS, CAR_SEEDS, CAR_SECONDS = 1000, 10, 600


def play_cars(program, first):
    """Returns the lines of a block of seeds, and the reason if it did not end."""
    try:
        run = subprocess.run([program, str(first), str(CAR_SEEDS), str(CAR_STEPS)], stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=CAR_SECONDS, text=True, errors="replace")
    except subprocess.TimeoutExpired as expired:
        return (expired.stdout or b"").decode(errors="replace").splitlines(), f"no end within {CAR_SECONDS} s"
    lines = run.stdout.splitlines()
    return lines, f"exit code {run.returncode}\n{run.stderr[-2000:]}" if run.returncode else None


def cars(arguments):
    program = build_program("car-operation")
    blocks = range(0, max(1, arguments.steps // CAR_STEPS), CAR_SEEDS)
    began = time.monotonic()
    end = began + arguments.minutes * 60 if arguments.minutes else None
    totals, problem = [0] * 5, None
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # A second run of the first block must print the same.
        again = pool.submit(play_cars, program, 0)
        waiting = [pool.submit(play_cars, program, first) for first in blocks]
        for number, (first, block_of) in enumerate(zip(blocks, waiting)):
            lines, problem = block_of.result()
            if problem:
                seed = first + len(lines)
                problem = f"seed {seed}: {problem}\nto repeat: {program} {seed} 1 {CAR_STEPS}"
            elif first == 0 and again.result()[0] != lines:
                problem = f"two runs of the seeds 0 to {CAR_SEEDS - 1} differ"
            for line in lines:
                totals = [sum(pair) for pair in zip(totals, map(int, line.split()[1:]))]
            if problem or end and time.monotonic() >= end:
                pool.shutdown(wait=False, cancel_futures=True)
                break
            if number % 10 == 9:
                say(f"{totals[0]} steps")
    if problem:
        die(problem)
    print(f"{totals[0]} steps in {time.monotonic() - began:.0f} s, {totals[1]} with the app in front: {totals[2]} "
          f"events, {totals[3]} reports, {totals[4]} apps ended by the system; no crash, no hang")


# The seconds that a million trees may take, with the build.
SCREEN_SECONDS = 6 * 3600


def screens(arguments):
    if arguments.trees < 1:
        die("--trees: a whole number from 1", 64)
    say(f"building the tests, and laying out {arguments.trees} trees")
    began = time.monotonic()
    environment = {**os.environ, "IAP2_RANDOM_TREES": str(arguments.trees)}
    try:
        status = subprocess.run(["tools/test", "--filter", "RandomScreenTests"], cwd=ROOT, env=environment,
                                stdout=sys.stderr, timeout=SCREEN_SECONDS).returncode
    except subprocess.TimeoutExpired:
        die(f"no end within {SCREEN_SECONDS} s")
    if status:
        die("a tree broke a rule, or the program crashed: the lines above name its seed")
    print(f"{arguments.trees} trees in {time.monotonic() - began:.0f} s with the build: no overlap, crash or hang")


# The sessions of one process of the proof of CarPlay sessions.
CARPLAY_BLOCK = 1000


def play_sessions(program, first, count):
    """The lines of one process, and its problem."""
    process = subprocess.run(
        [program, str(first), str(count)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    lines = process.stdout.splitlines()
    if process.returncode == 0:
        return lines, None
    return lines, "\n".join(lines) if process.returncode == 1 else (
        f"seeds {first} to {first + count - 1}: ended with {process.returncode}: {process.stderr[-2000:]}")


def carplay(arguments):
    if arguments.sessions < 1:
        die("--sessions: a whole number from 1", 64)
    program = build_program("carplay-sessions")
    last = arguments.first + arguments.sessions
    began = time.monotonic()
    end = began + arguments.minutes * 60 if arguments.minutes else None
    totals, problems = [0] * 4, []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(play_sessions, program, first, min(CARPLAY_BLOCK, last - first))
                   for first in range(arguments.first, last, CARPLAY_BLOCK)]
        for number, block_of in enumerate(waiting):
            lines, problem = block_of.result()
            if problem:
                problems.append(problem)
            if lines and re.fullmatch(r"\d+ \d+ \d+ \d+", lines[-1]):
                totals = [sum(pair) for pair in zip(totals, map(int, lines[-1].split()))]
            if len(problems) == 10 or end and time.monotonic() >= end:
                pool.shutdown(wait=False, cancel_futures=True)
                break
            if number % 10 == 9:
                say(f"{totals[0]} sessions")
    seconds = time.monotonic() - began
    print(f"{totals[0]} sessions in {seconds:.0f} s ({totals[0] / seconds:.0f} a second): {totals[1]} became live, "
          f"{totals[2]} contents arrived, {totals[3]} with a violation")
    if problems:
        die("\n".join(problems) + f"\nto repeat: {program} SEED 1")
