"""The page of ``doxeval judge``, served on this machine to those who know its secret.

No request is answered without the secret, which is the first part of every path, nor one for another host
(a name that was made to point here). Only requests from the page itself change anything: from our origin, as
JSON.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from doxeval import DoxevalError, MissingExtra
from doxeval.core.errors import on_one_line
from doxeval.extend import NotJson, json_value
from doxeval.judging.desk import Desk
from doxeval.judging.judging_progress import AssessorProgress
from doxeval.judging.listening import teller
from doxeval.judging.overview import Overview
from doxeval.judging.store import JudgementStore, NotSaved, RefusedAct

try:
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.datastructures import MutableHeaders
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
except ImportError:
    raise MissingExtra("judge", "serving a page to assessors") from None

LARGEST_REQUEST = 8 << 20
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
PAGE_HEADERS = {"Content-Security-Policy": "frame-ancestors 'none'"}
"""The page brings the rest of its policy itself, as it does where it is a file."""
SAFE = ("GET", "HEAD")
USUAL_OF_WEB = "80"
"""The port that browsers do not name."""


def new_secret() -> str:
    """A secret that cannot be guessed."""
    return secrets.token_urlsafe(24)


def is_ours(host: str, name: str, port: int) -> bool:
    """Whether a request names the server by its own name, not by another that was made to point here.

    >>> asked = ("127.0.0.1:80", "[::1]:80", "[::1]", "localhost:80", "desk", "evil.example:80", "desk:81")
    >>> [is_ours(host, "desk", 80) for host in asked]
    [True, True, True, True, True, False, False]
    """
    asked, _, number = host.rpartition(":")
    if not asked or host.endswith("]"):
        asked, number = host, USUAL_OF_WEB
    if number != str(port):
        return False
    if asked.lower() in ("localhost", name.lower()):
        return True
    try:
        return bool(ipaddress.ip_address(asked.removeprefix("[").removesuffix("]")))
    except ValueError:
        return False


class Gatekeeper:
    """Refuses requests without a secret, and changes from elsewhere; all answers get :data:`HEADERS`."""

    def __init__(self, app: ASGIApp, place: tuple[str, int], people: Mapping[str, str]) -> None:
        self.app = app
        self.place = place
        self.people = people

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its assessor, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        refused = self._refusal(request)
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        first, _, rest = scope["path"][1:].partition("/")
        scope["assessor"] = self._assessor(first)
        scope["path"] = f"/{rest}"
        try:
            await self.app(scope, receive, guarded)
        except ClientDisconnect:
            return
        except Exception as problem:  # it has been answered
            teller.say(f"a request failed: {on_one_line(problem)}")

    def _assessor(self, told: str) -> str | None:
        """Whose secret this is; all are compared, each in constant time."""
        found = None
        for secret, assessor in self.people.items():
            if hmac.compare_digest(secret.encode(), told.encode(errors="replace")):
                found = assessor
        return found

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if not is_ours(host, *self.place):
            return _refused("this server has another name", 421)
        first, slash, _ = request.scope["path"][1:].partition("/")
        if self._assessor(first) is None or not slash:
            return _refused("not found; use the whole address that doxeval judge printed", 404)
        if request.method in SAFE:
            return None
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "same-origin")
        kind = request.headers.get("content-type", "").partition(";")[0]
        if origin != f"http://{host}" or site != "same-origin" or kind != "application/json":
            return _refused("only the page itself may change anything", 403)
        return None


def _refused(reason: str, status: int) -> Response:
    return PlainTextResponse(reason + "\n", status)


def application(
    desk: Desk, store: JudgementStore, place: tuple[str, int], people: Mapping[str, str],
    overview: Overview | None = None,
) -> ASGIApp:  # fmt: skip
    """The answers of a server at a host and port; `people` are the assessors by their secrets."""
    seen = overview or Overview(desk, store.path)
    docs = list(desk.codes)
    so_far = {name: AssessorProgress(name) for name in people.values()}

    # Every request has passed the gatekeeper, which wraps all routes: its scope names a known assessor.

    def progress(request: Request) -> AssessorProgress:
        found = so_far[request.scope["assessor"]]
        found.catch_up(store)
        return found

    def page(request: Request) -> Response:
        content = desk.page(request.scope["assessor"], progress(request))
        return HTMLResponse(content, headers=PAGE_HEADERS)

    def pairs(request: Request) -> Response:
        at = request.path_params["at"]
        if at >= len(desk.pool):
            return _refused("the pool ends before that", 404)
        return JSONResponse(desk.window(at, progress(request)))

    def siblings(request: Request) -> Response:
        number = request.path_params["topic"]
        if number >= len(desk.queries):
            return _refused("no such topic", 404)
        return JSONResponse(desk.siblings(number))

    def text(request: Request) -> Response:
        at = request.path_params["doc"]
        if at >= len(docs):
            return _refused("no such document", 404)
        return JSONResponse(desk.opened(docs[at]))

    def picture(request: Request) -> Response:
        at, number = request.path_params["doc"], request.path_params["number"]
        found = desk.picture(docs[at], number) if at < len(docs) else None
        if found is None:
            return _refused("no such page", 404)
        return Response(found, media_type="image/png")

    def disputes(request: Request) -> Response:
        return _overview(lambda: seen.disputes(progress(request)))

    def standing(request: Request) -> Response:
        return _overview(lambda: seen.standing_now(progress(request)))

    def acts(request: Request) -> Response:
        return _told(store, request.scope["assessor"], _number(request.query_params.get("after", "0")))

    async def add(request: Request) -> Response:
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > LARGEST_REQUEST:
                return _refused("too much at once", 413)
        return await run_in_threadpool(_add, store, request.scope["assessor"], bytes(body))

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        store.close()

    routes = [
        Route("/", page),
        Route("/text/{doc:int}", text),
        Route("/picture/{doc:int}/{number:int}", picture),
        Route("/pairs/{at:int}", pairs),
        Route("/siblings/{topic:int}", siblings),
        Route("/disputes", disputes),
        Route("/standing", standing),
        Route("/acts", acts, methods=["GET"]),
        Route("/acts", add, methods=["POST"]),
    ]
    failing = {NotSaved: _failed, Exception: _failed}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=failing)
    app.router.redirect_slashes = False  # the address would be one without the secret
    return Gatekeeper(app, place, people)


def _failed(_: Request, problem: Exception) -> Response:
    """The answer when nothing was saved, or nothing can be read, with the reason."""
    if isinstance(problem, NotSaved):
        teller.say(str(problem))
        return JSONResponse({"problem": str(problem)}, 503)
    return JSONResponse({"problem": f"the server failed: {on_one_line(problem)}"}, 500)


def _overview(find: Callable[[], dict[str, Any]]) -> Response:
    """The answer with what is found, or with the reason why nothing can be."""
    try:
        return JSONResponse(find())
    except DoxevalError as problem:
        return _refused(str(problem), 409)


def _add(store: JudgementStore, assessor: str, body: bytes) -> Response:
    """Keep acts, and only then confirm."""
    try:
        told = json_value(body)
        if not isinstance(told, dict) or not isinstance(told.get("acts"), list):
            raise RefusedAct("expected acts")
        store.add(assessor, told["acts"])
        return _told(store, assessor, _number(str(told.get("after", 0))))
    except (NotJson, RefusedAct) as problem:
        return JSONResponse({"refused": str(problem)}, 422)


def _told(store: JudgementStore, assessor: str, after: int) -> Response:
    content = json.dumps({"acts": store.acts(assessor, after)})
    return Response(content, media_type="application/json")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0
