#!/usr/bin/env python3
"""An OpenID provider of idpyoidc on loopback: code, PKCE, end of session, back-channel logout.

    op.py PORT FOLDER CLIENT SECRET REDIRECT LANDING BACKCHANNEL [ALGORITHM]

Everybody who comes is signed in as the user in FOLDER/user.json, without a password. Two paths are
not of OpenID: POST /rotate makes new keys, POST /fault {"iat": 3600, "aud": "x"} changes the claims
of the next ID token.
"""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from cryptojwt.key_jar import init_key_jar
from cryptojwt.jwt import JWT
from cryptojwt.jwt import utc_time_sans_frac
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.token import id_token

PORT, FOLDER, CLIENT, SECRET, REDIRECT, LANDING, BACKCHANNEL = sys.argv[1:8]
ALGORITHM = sys.argv[8] if len(sys.argv) > 8 else "ES256"
ISSUER = f"http://127.0.0.1:{PORT}"
KEYS = [
    {"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]},
]
fault = {}


def endpoint(path, name, **arguments):
    return {"path": path, "class": name, "kwargs": arguments}


with open(os.path.join(FOLDER, "user.json")) as file:
    USER = json.load(file)

CONFIGURATION = {
    "issuer": ISSUER,
    "httpc_params": {"verify": False, "timeout": 5},
    "key_conf": {"key_defs": KEYS},
    "preference": {
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
        "response_types_supported": ["code"],
    },
    "token_handler_args": {
        "code": {"lifetime": 600, "kwargs": {"crypt_conf": {
            "kwargs": {"password": "0123456789abcdef", "salt": "abcdef012345", "iterations": 1}}}},
        "token": {
            "class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 3600},
        },
        "id_token": {
            "class": "idpyoidc.server.token.id_token.IDToken",
            "kwargs": {
                "id_token_signing_alg_values_supported": [ALGORITHM],
                "base_claims": {
                    name: {"essential": True}
                    for name in ["name", "email", "email_verified", "groups"]
                },
            },
        },
    },
    "cookie_handler": {
        "class": "idpyoidc.server.cookie_handler.CookieHandler",
        "kwargs": {
            "keys": {"key_defs": [
                {"type": "OCT", "kid": "sig", "use": ["sig"]},
                {"type": "OCT", "kid": "enc", "use": ["enc"]},
            ]},
            "name": {
                "session": "op", "register": "op_register", "session_management": "op_sman",
            },
        },
    },
    "endpoint": {
        "provider_info": endpoint(
            ".well-known/openid-configuration",
            "idpyoidc.server.oidc.provider_config.ProviderConfiguration"),
        "authorization": endpoint(
            "authorization", "idpyoidc.server.oidc.authorization.Authorization",
            response_types_supported=["code"]),
        "token": endpoint(
            "token", "idpyoidc.server.oidc.token.Token",
            client_authn_method=["client_secret_basic", "client_secret_post"]),
        "session": endpoint(
            "session", "idpyoidc.server.oidc.session.Session",
            post_logout_uri_path="done", signing_alg=ALGORITHM,
            logout_verify_url=f"{ISSUER}/verify_logout", client_authn_method=None),
    },
    "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {"u": USER}}},
    "authentication": {"anybody": {
        "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified",
        "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "u"},
    }},
    "add_on": {"pkce": {
        "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
        "kwargs": {"essential": True, "code_challenge_methods": {"S256": None}},
    }},
    "session_params": {"encrypter": {"kwargs": {"keys": {"key_defs": [
        {"type": "OCT", "use": ["enc"], "kid": "password"},
        {"type": "OCT", "use": ["enc"], "kid": "salt"},
    ]}, "iterations": 1}}},
}

server = Server(OPConfiguration(CONFIGURATION, base_path=FOLDER), cwd=FOLDER)
context = server.context
context.cdb[CLIENT] = {
    "client_id": CLIENT, "client_secret": SECRET, "redirect_uris": [(REDIRECT, {})],
    "post_logout_redirect_uri": [(LANDING, {})], "response_types_supported": ["code"],
    "response_types": ["code"], "token_endpoint_auth_method": "client_secret_basic",
    "allowed_scopes": ["openid", "profile", "email"], "backchannel_logout_uri": BACKCHANNEL,
    "backchannel_logout_session_required": True, "id_token_signed_response_alg": ALGORITHM,
    "client_salt": "salted",
}
server.keyjar.add_symmetric(CLIENT, SECRET)
# A request to end a session has no credentials of the client; the library expects a token.
server.endpoint["session"].client_authentication = lambda *arguments, **named: {}
context.provider_info.pop("jwks", None)
context.provider_info["jwks_uri"] = f"{ISSUER}/jwks.json"


def rotate():
    """Replaces all keys."""
    fresh = init_key_jar(key_defs=KEYS)
    for issuer in ["", ISSUER]:
        server.keyjar[issuer] = fresh[""]


# The wrong claims of the ID token that is being made: the library sets some of them last.
current = {}
original_payload = id_token.IDToken.payload
original_claims = JWT.pack_init


def payload(self, *arguments, **named):
    current.update(fault)
    fault.clear()
    return {**original_payload(self, *arguments, **named), **current}


def claims(self, *arguments, **named):
    found = original_claims(self, *arguments, **named)
    for name, value in current.items():
        found[name] = utc_time_sans_frac() + value if name in ["iat", "exp"] else value
    current.clear()
    return found


id_token.IDToken.payload = payload
JWT.pack_init = claims


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", kind="application/json", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cookies(self):
        pairs = (part.strip().split("=", 1)
                 for part in self.headers.get("Cookie", "").split(";") if "=" in part)
        return [{"name": name, "value": value} for name, value in pairs]

    def run_endpoint(self, name, request):
        point = server.endpoint[name]
        about = {
            "headers": {key.lower(): value for key, value in self.headers.items()},
            "method": self.command, "url": ISSUER + self.path, "cookie": self.cookies(),
        }
        parsed = point.parse_request(request, http_info=about)
        if "error" in parsed:
            return self.answer(400, parsed.to_json().encode())
        found = point.process_request(parsed, http_info=about)
        if isinstance(found, dict) and "redirect_location" in found:
            return self.answer(302, headers=[("Location", found["redirect_location"])])
        if "error" in found:
            text = found.to_json() if hasattr(found, "to_json") else json.dumps(found)
            return self.answer(400, text.encode())
        given = point.do_response(request=parsed, **found)
        headers = list(given.get("http_headers", []))
        for cookie in given.get("cookie", []) or found.get("cookie", []):
            headers.append(("Set-Cookie", f"{cookie['name']}={cookie['value']}; Path=/"))
        if given.get("response_placement", point.response_placement) == "url":
            return self.answer(302, headers=headers + [("Location", given["response"])])
        body = given["response"]
        body = body if isinstance(body, str) else body.to_json()
        headers = [pair for pair in headers if pair[0].lower() != "content-type"]
        self.answer(200, body.encode(), headers=headers)

    def do_GET(self):
        url = urlparse(self.path)
        form = {key: values[0] for key, values in parse_qs(url.query).items()}
        if url.path == "/.well-known/openid-configuration":
            self.run_endpoint("provider_config", {})
        elif url.path == "/jwks.json":
            self.answer(200, server.keyjar.export_jwks_as_json(issuer_id="").encode())
        elif url.path == "/authorization":
            self.run_endpoint("authorization", form)
        elif url.path == "/session":
            self.run_endpoint("session", form)
        elif url.path == "/verify_logout":
            point = server.endpoint["session"]
            known = point.unpack_signed_jwt(form["sjwt"])
            point.do_verified_logout(sid=known["sid"])
            self.answer(302, headers=[("Location", known["redirect_uri"])])
        else:
            self.answer(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/token":
            form = {key: values[0] for key, values in parse_qs(body).items()}
            self.run_endpoint("token", form)
        elif self.path == "/rotate":
            rotate()
            self.answer(204)
        elif self.path == "/fault":
            fault.update(json.loads(body))
            self.answer(204)
        else:
            self.answer(404)


ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler).serve_forever()
