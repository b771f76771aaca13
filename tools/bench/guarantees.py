"""What exactly once costs: the modes --guarantees, --latency and --restarts of tools/bench/run."""
import json, re, signal, statistics, subprocess, sys, time

COPYING = """name: {name}
parallelism: 1
checkpoint: {{ dir: {folder}/checkpoints, interval: {interval}ms }}
connections: {{ main: {{ type: kafka, brokers: "{brokers}" }} }}
sources: {{ in: {{ type: kafka, connection: main, topic: {source}, schema: {{ n: bigint, t: bigint }} }} }}
sinks: {{ out: {{ from: in, type: kafka, connection: main, topic: {sink}, guarantee: {guarantee} }} }}
"""
LONG = {"al": "at_least_once", "eo": "exactly_once"}
INTERVALS = (100, 1000, 10000)


def percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def commit_times(log):
    """Milliseconds that each commit took, as weir logs them."""
    return [int(ms) for ms in re.findall(r"checkpoint \d+ committed \(\d+ ms, commit (\d+) ms", log)]


# ---- throughput and CPU

def compare(options, measure, verdict, say):
    """At least once and exactly once take turns, at each interval; prints what the second costs. `measure` runs once, with more in its
    environment; `verdict` compares two lists of results."""
    results, commits = {}, {}
    for number in range(options.runs):
        for interval in INTERVALS:
            for guarantee in ("al", "eo"):
                key = (guarantee, interval)
                result = measure({"GUARANTEE": guarantee, "INTERVAL_MS": str(interval)})
                results.setdefault(key, []).append(result)
                commits.setdefault(key, []).extend(commit_times(result.log))
                say(f"{number + 1}/{options.runs} {guarantee} {interval} ms: {result.per_cpu:,.0f} events/CPU-s, {result.events / result.wall:,.0f} events/s")
    print(f"\nexactly once (eo) beside at least once (al), median of {options.runs} runs")
    print(f"{'':<3} {'interval':>9} {'events/CPU-s':>13} {'ns/event':>9} {'events/s':>11}  {'commits':>7} {'p50':>6} {'p99':>6}")
    for interval in INTERVALS:
        for guarantee in ("al", "eo"):
            runs, took = results[guarantee, interval], commits[guarantee, interval]
            rate = statistics.median(r.per_cpu for r in runs)
            times = f"{percentile(took, 0.5):>3} ms {percentile(took, 0.99):>3} ms" if took else ""
            print(f"{guarantee:<3} {interval:>6} ms {rate:>13,.0f} {1e9 / rate:>9.0f} {statistics.median(r.events / r.wall for r in runs):>11,.0f}  {len(took):>7} {times}")
        print(f"    exactly once at {interval} ms: {verdict(results['eo', interval], results['al', interval])}")


# ---- latency

class CopyingJob:
    """weir, copying one topic to another; its folder and topics stay over stop and start."""

    def __init__(self, options, broker, guarantee, interval):
        self.options, self.broker = options, broker
        name = f"copy-{guarantee}-{interval}-{time.time_ns() // 1000000}"
        self.folder = broker.folder / name
        self.folder.mkdir()
        self.source, self.sink = (broker.output_topic(options.bench, f"{kind}-{name}") for kind in ("in", "out"))
        self.file = self.folder / "pipeline.yaml"
        self.file.write_text(COPYING.format(name=name, folder=self.folder, interval=interval, brokers=broker.address, source=self.source, sink=self.sink,
                                            guarantee=LONG[guarantee]))
        self.process = None

    def start(self, pinned):
        self.log = open(self.folder / "log", "w")
        self.process = subprocess.Popen([self.options.weir, "run", str(self.file), "--quiet"], stdout=self.log, stderr=self.log, preexec_fn=pinned)

    def wait_until_running(self):
        give_up = time.monotonic() + 60
        while "running" not in self.said():
            if self.process.poll() is not None or time.monotonic() > give_up:
                sys.exit(f"bench: weir does not run:\n{self.said()}")
            time.sleep(0.01)

    def said(self):
        return (self.folder / "log").read_text()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.log.close()

    def put(self, rows):
        output([self.options.bench / "latency", "put", self.broker.address, self.source, rows])


def output(command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}")
    return done.stdout


def latency(options, broker, pinned):
    """From the time in a row until its copy can be read, at an even rate."""
    print(f"\nlatency from topic to topic at {options.rate:,} rows/s, {options.seconds} s each")
    print(f"{'':<3} {'interval':>9} {'p50':>10} {'p99':>10} {'largest':>10}")
    for guarantee, interval in (("al", 1000), ("eo", 100), ("eo", 1000)):
        job = CopyingJob(options, broker, guarantee, interval)
        job.start(pinned)
        job.wait_until_running()
        found = json.loads(output([options.bench / "latency", "rate", broker.address, job.source, job.sink, options.rate, options.seconds]))
        job.stop()
        print(f"{guarantee:<3} {interval:>6} ms {found['p50_ms']:>7.1f} ms {found['p99_ms']:>7.1f} ms {found['max_ms']:>7.1f} ms", flush=True)


def restarts(options, broker, pinned):
    """From the start of the program until the first row that waited for it can be read; after SIGTERM and after SIGKILL."""
    print(f"\nfrom the start to the first row, {options.restarts} restarts each, exactly once at 100 ms")
    print(f"{'ended by':<9} {'median':>9} {'largest':>9}")
    job = CopyingJob(options, broker, "eo", 100)
    job.start(pinned)
    job.wait_until_running()
    for way in (signal.SIGTERM, signal.SIGKILL):
        took = []
        for _ in range(options.restarts):
            if way == signal.SIGKILL:  # in the middle of a transaction, which the start must end
                job.put(1000)
                time.sleep(0.05)
            job.process.send_signal(way)
            job.process.wait(60)
            took.append(restart(options, broker, job, pinned))
        print(f"{way.name:<9} {statistics.median(took):>6.0f} ms {max(took):>6.0f} ms", flush=True)
    job.stop()


def restart(options, broker, job, pinned):
    """Milliseconds until a row that was written while weir was down came out."""
    with subprocess.Popen([str(options.bench / "latency"), "first", broker.address, job.sink], stdout=subprocess.PIPE, text=True) as waiting:
        waiting.stdout.readline()
        job.put(1)
        began = time.time()
        job.start(pinned)
        arrived = int(waiting.stdout.readline()) / 1e6
    return (arrived - began) * 1000
