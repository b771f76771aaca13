#!/usr/bin/env python3
"""Computes what the Nexmark queries here must give for events.jsonl, without weir: expect.py [FOLDER].

Writes FOLDER/qN/expected.jsonl (rows that come out) or final.jsonl (the table that changes add up to). The rules are those of the
queries' SQL as written in README.md; nothing is shared with the pipelines.
"""
import collections
import datetime
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)


def millis(text):
    at = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=datetime.timezone.utc)
    return round(at.timestamp() * 1000)


def text(ms):
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
    return at.strftime("%Y-%m-%d %H:%M:%S.") + "%03d" % (ms % 1000)


bids = []
for line in (folder / "events.jsonl").open():
    event = json.loads(line)
    if event["event_type"] == 2:
        bids.append(dict(event["bid"], at=millis(event["bid"]["dateTime"])))


def converted(price):
    """0.908 * price, exactly."""
    return "%d.%03d" % divmod(price * 908, 1000)


def q0():
    return [{k: b[k] for k in ("auction", "bidder", "price", "dateTime", "extra")} for b in bids]


def q1():
    return [dict({k: b[k] for k in ("auction", "bidder", "dateTime", "extra")}, price=converted(b["price"])) for b in bids]


def q2():
    return [{"auction": b["auction"], "price": b["price"]} for b in bids if b["auction"] % 123 == 0]


def windows(b, size, every):
    start = b["at"] // every * every
    while start + size > b["at"]:
        yield start, start + size
        start -= every


def q5():
    counts = collections.Counter((w, b["auction"]) for b in bids for w in windows(b, 10_000, 2_000))
    most = collections.defaultdict(int)
    for (window, _), n in counts.items():
        most[window] = max(most[window], n)
    return [{"window_start": text(s), "window_end": text(e), "num": n} for (s, e), n in most.items()]


def q7():
    top = collections.defaultdict(int)
    for b in bids:
        for w in windows(b, 10_000, 10_000):
            top[w] = max(top[w], b["price"])
    return [{"window_start": text(s), "window_end": text(e), "price": p} for (s, e), p in top.items()]


def q11():
    times = collections.defaultdict(list)
    for b in bids:
        times[b["bidder"]].append(b["at"])
    rows = []
    for bidder, of_bidder in times.items():
        session = None
        for at in sorted(of_bidder):
            if session and at <= session[1] + 10_000:
                session[1], session[2] = at, session[2] + 1
                continue
            session = [at, at, 1]
            rows.append((bidder, session))
    return [{"bidder": k, "bids": n, "window_start": text(a), "window_end": text(z + 10_000)} for k, (a, z, n) in rows]


def q12():
    counts = collections.Counter((b["bidder"], w) for b in bids for w in windows(b, 10_000, 10_000))
    return [{"bidder": k, "bids": n, "window_start": text(s), "window_end": text(e)} for (k, (s, e)), n in counts.items()]


def q14():
    rows = []
    for b in bids:
        if not 1_000_000_000 < b["price"] * 908 < 50_000_000_000:
            continue
        hour = int(b["dateTime"][11:13])
        time_type = "dayTime" if 8 <= hour <= 18 else "nightTime" if hour <= 6 or hour >= 20 else "otherTime"
        rows.append({"auction": b["auction"], "bidder": b["bidder"], "price": converted(b["price"]), "bidTimeType": time_type,
                     "dateTime": b["dateTime"], "c_counts": b["extra"].count("c")})
    return rows


RANGES = {"": lambda p: True, "r1_": lambda p: p < 10_000, "r2_": lambda p: 10_000 <= p < 1_000_000, "r3_": lambda p: p >= 1_000_000}


def grouped(key):
    groups = collections.defaultdict(list)
    for b in bids:
        groups[key(b)].append(b)
    return groups.items()


def statistics(of_group):
    row = {}
    for prefix, fits in RANGES.items():
        chosen = [b for b in of_group if fits(b["price"])]
        row[prefix + "bids"] = len(chosen)
        row[prefix + "bidders"] = len({b["bidder"] for b in chosen})
        row[prefix + "auctions"] = len({b["auction"] for b in chosen})
    return row


def q15():
    return [dict(statistics(g), d=d) for d, g in grouped(lambda b: b["dateTime"][:10])]


def q16():
    return [dict(statistics(g), channel=c, d=d, m=max(b["dateTime"][11:16] for b in g))
            for (c, d), g in grouped(lambda b: (b["channel"], b["dateTime"][:10]))]


def q17():
    rows = []
    for (auction, d), g in grouped(lambda b: (b["auction"], b["dateTime"][:10])):
        prices = [b["price"] for b in g]
        row = {prefix + "bids": sum(map(fits, prices)) for prefix, fits in RANGES.items()}
        rows.append(dict(row, auction=auction, d=d, lo=min(prices), hi=max(prices), a=sum(prices) // len(prices), s=sum(prices)))
    return rows


def q18():
    last = {(b["bidder"], b["auction"]): b for b in bids}
    return [{k: b[k] for k in ("auction", "bidder", "price", "channel", "url", "dateTime", "extra")} for b in last.values()]


def q21():
    known = {"apple": "0", "google": "1", "facebook": "2", "baidu": "3"}
    rows = []
    for b in bids:
        found = b["url"].partition("&channel_id=")
        channel_id = known.get(b["channel"].lower(), found[2].split("&")[0] if found[1] else None)
        if channel_id is not None:
            rows.append({"auction": b["auction"], "bidder": b["bidder"], "price": b["price"], "channel": b["channel"], "channel_id": channel_id})
    return rows


def q22():
    rows = []
    for b in bids:
        parts = (b["url"].split("/") + [None] * 6)[3:6]
        rows.append(dict({k: b[k] for k in ("auction", "bidder", "price", "channel")}, dir1=parts[0], dir2=parts[1], dir3=parts[2]))
    return rows


for query in (q0, q1, q2, q5, q7, q11, q12, q14, q15, q16, q17, q18, q21, q22):
    name = "final.jsonl" if query in (q15, q16, q17, q18) else "expected.jsonl"
    (folder / query.__name__).mkdir(exist_ok=True)
    rows = sorted(json.dumps(row, sort_keys=True, separators=(",", ":")) for row in query())
    (folder / query.__name__ / name).write_text("\n".join(rows) + "\n")
