"""Test code in another language against petstore-mock on a port, with the Python standard library only.

    npx petstore-mock --clock virtual          # in one terminal
    python3 pets.py http://127.0.0.1:4010      # in another
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor


class PetStore:
    """A small client of the service. It waits when the service answers 429."""

    def __init__(self, base_url, api_key, world=None):
        self.base_url = base_url
        self.headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
        if world is not None:
            self.headers["X-Mock-World"] = world

    def list_pets(self, **query):
        return self._call("GET", f"/v1/pets?{urllib.parse.urlencode(query)}")

    def create_pet(self, name, category_id, status="available"):
        # Python's integers have no bound: an int64 is exact in both directions.
        pet = {"name": name, "categoryId": category_id, "status": status}
        return self._call("POST", "/v1/pets", pet)

    def _call(self, method, path, body=None):
        while True:
            try:
                return send(self.base_url + path, method, body, self.headers)
            except urllib.error.HTTPError as error:
                if error.code != 429:
                    problem = json.load(error)
                    raise RuntimeError(f"{error.code} {problem['code']}: {problem['message']}") from None
                # A 429 was not processed, so the request may be sent again, but not before the time in Retry-After. The
                # mock gives seconds by default; the service interface does not define the unit.
                self.sleep(float(error.headers["Retry-After"]))

    sleep = staticmethod(time.sleep)


class Mock:
    """The control API of petstore-mock, for one world: pets, quotas, faults and a clock of its own."""

    def __init__(self, base_url, world=None):
        self.base_url = base_url
        self.world = world
        self.headers = {"Content-Type": "application/json"}
        if world is not None:
            self.headers["X-Mock-World"] = world

    def client(self, api_key="mock-free"):
        """A client of this world. On a virtual clock, a wait is a request: a minute takes no time."""
        store = PetStore(self.base_url, api_key, self.world)
        store.sleep = lambda seconds: self.call("POST", "clock", {"advance": f"{seconds}s"})
        return store

    def call(self, method, path, body=None):
        return send(f"{self.base_url}/_mock/{path}", method, body, self.headers)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        send(f"{self.base_url}/_mock/worlds/{self.world}", "DELETE")


def send(url, method, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers or {}, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        text = response.read()
        return json.loads(text) if text else None


def check_rate_limit(mock):
    """More than the 60 requests that the Free plan has in a minute."""
    store = mock.client()
    rex = store.create_pet("Rex", 9223372036854775807)
    for _ in range(60):
        pets = store.list_pets(status="available", limit=100)
    assert any(pet["id"] == rex["id"] and pet["categoryId"] == 9223372036854775807 for pet in pets)
    report = mock.call("GET", "report")
    assert report["rateLimited"] == 1 and report["duringCoolDown"] == 0, report
    return "waits until the minute is over"


def check_outage(mock):
    """A fault that hits two requests, and can be read and removed by its id."""
    store = mock.client()
    fault = mock.call("POST", "faults", {"operation": "listPets", "status": 503, "times": 2})
    for expected in ("503", "503", "200"):
        try:
            store.list_pets()
            seen = "200"
        except RuntimeError as error:
            seen = str(error)[:3]
        assert seen == expected, seen
    again = mock.call("POST", "faults", {"status": 500})
    mock.call("DELETE", f"faults/{again['id']}")
    store.list_pets()
    return f"sees {fault['fault']['times']} failures, then an answer"


def check_exhausted_key(mock):
    """A quota that is used up, and pets as a snapshot has kept them."""
    start = mock.call("GET", "snapshot")
    mock.call("PUT", "keys/mock-free", {"exhaust": "day"})
    mock.client().create_pet("Max", 1)
    mock.call("PUT", "snapshot", start)
    assert mock.call("GET", "pets")["size"] == len(start["pets"])
    return "goes on the next day"


def main():
    base_url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4010"
    checks = [check_rate_limit, check_outage, check_exhausted_key]

    def run(check):
        # Each check has a world of its own, so that all of them run at the same time on one port.
        with Mock(base_url, check.__name__) as mock:
            return f"{check.__name__}: {check(mock)}"

    with ThreadPoolExecutor() as pool:
        for line in pool.map(run, checks):
            print(line)
    try:
        PetStore(base_url, "wrong").list_pets()
    except RuntimeError as error:
        print(error)


if __name__ == "__main__":
    main()
