"""A Python script that calls the mock on a port. It needs only the standard library.

    npx petstore-mock --clock virtual          # in one terminal
    python3 pets.py http://127.0.0.1:4010      # in another
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class PetStore:
    def __init__(self, base_url, api_key):
        self.base_url = base_url
        self.api_key = api_key

    def list_pets(self, **query):
        text = urllib.parse.urlencode(query)
        return self._call("GET", f"/v1/pets?{text}")

    def create_pet(self, name, category_id, status="available"):
        # Python integers have no limit, so an int64 is exact.
        pet = {"name": name, "categoryId": category_id, "status": status}
        return self._call("POST", "/v1/pets", pet)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        while True:
            try:
                with urllib.request.urlopen(request, timeout=10) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                if error.code != 429:
                    problem = json.load(error)
                    raise RuntimeError(f"{error.code} {problem['code']}: {problem['message']}") from None
                # A 429 was not processed, so the request can be repeated. Wait for Retry-After first, because the service may
                # ban the key otherwise. The interface does not define its unit; the mock sends seconds by default.
                self.sleep(float(error.headers["Retry-After"]))

    sleep = staticmethod(time.sleep)


def move_clock(base_url, seconds):
    """Moves the clock of a mock with --clock virtual, so that a wait takes no real time."""
    body = json.dumps({"advance": f"{seconds}s"}).encode()
    headers = {"Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(base_url + "/_mock/clock", body, headers)).close()


def main():
    base_url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4010"
    store = PetStore(base_url, "mock-free")
    store.sleep = lambda seconds: (print(f"waits {seconds:.0f} s"), move_clock(base_url, seconds))

    rex = store.create_pet("Rex", 9223372036854775807)
    print(f"created {rex['name']} in category {rex['categoryId']}")
    # These are more than the 60 requests a minute of the Free plan.
    for _ in range(60):
        pets = store.list_pets(status="available", limit=100)
    print(f"{rex['name']} is there: {any(pet['id'] == rex['id'] for pet in pets)}")
    try:
        PetStore(base_url, "wrong").list_pets()
    except RuntimeError as error:
        print(error)


if __name__ == "__main__":
    main()
