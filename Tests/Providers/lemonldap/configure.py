"""Writes the configuration of a LemonLDAP::NG portal into the folder RUN."""
import json
import os
import secrets

RUN, PORT, URL = os.environ["RUN"], os.environ["PORT"], os.environ["URL"]
ISSUER = f"http://localhost:{PORT}"
CLIENT = "jaga"


def read(name):
    with open(f"{RUN}/{name}") as file:
        return file.read()


def sessions(name):
    os.makedirs(f"{RUN}/{name}/lock", exist_ok=True)
    return {"Directory": f"{RUN}/{name}", "LockDirectory": f"{RUN}/{name}/lock"}


configuration = {
    "cfgNum": 1, "cfgAuthor": "test", "cfgDate": "1", "cfgVersion": "2.16.1",
    "portal": f"{ISSUER}/", "domain": "localhost", "securedCookie": 0,
    "key": secrets.token_hex(16),
    # Three users: dwho, msmith and rtyler, whose passwords are their names.
    "authentication": "Demo", "userDB": "Same", "passwordDB": "Null", "registerDB": "Null",
    "demoExportedVars": {"cn": "cn", "mail": "mail", "uid": "uid"},
    "macros": {"_whatToTrace": "$uid"}, "whatToTrace": "_whatToTrace",
    "groups": {"duty": "$uid eq 'dwho'"},
    "globalStorage": "Apache::Session::File", "globalStorageOptions": sessions("sessions"),
    "persistentStorage": "Apache::Session::File",
    "persistentStorageOptions": sessions("persistent"),
    "localSessionStorage": "Cache::FileCache",
    "localSessionStorageOptions": {
        "cache_root": f"{RUN}/cache", "cache_depth": 3, "default_expires_in": 600,
        "namespace": "sessions", "directory_umask": "007",
    },
    "locationRules": {"localhost": {"default": "accept"}},
    # The usual captcha needs ImageMagick, even when no page shows one.
    "captcha": "::Main::Plugin",
    "issuerDBOpenIDConnectActivation": 1, "issuerDBOpenIDConnectPath": "^/oauth2/",
    "issuerDBOpenIDConnectRule": 1, "oidcServiceMetaDataIssuer": ISSUER,
    "oidcServicePrivateKeySig": read("sign.key"), "oidcServicePublicKeySig": read("sign.pem"),
    "oidcServiceKeyIdSig": "first", "oidcServiceAllowAuthorizationCodeFlow": 1,
    "oidcRPMetaDataExportedVars": {CLIENT: {
        "name": "cn", "email": "mail", "email_verified": "mailVerified;bool",
        "groups": "groups;string;always",
    }},
    "oidcRPMetaDataMacros": {CLIENT: {"mailVerified": "1"}},
    # Replaces the usual claims of the scope.
    "oidcRPMetaDataOptionsExtraClaims": {CLIENT: {"profile": "name groups"}},
    "oidcRPMetaDataOptions": {CLIENT: {
        "oidcRPMetaDataOptionsClientID": os.environ["CLIENT"],
        "oidcRPMetaDataOptionsClientSecret": os.environ["SECRET"],
        "oidcRPMetaDataOptionsDisplayName": "Jaga",
        "oidcRPMetaDataOptionsRedirectUris":
            f"{URL}/v1/sign-in/providers/{os.environ['PROVIDER']}/callback",
        "oidcRPMetaDataOptionsPostLogoutRedirectUris": f"{URL}/",
        "oidcRPMetaDataOptionsIDTokenSignAlg": "RS256",
        "oidcRPMetaDataOptionsIDTokenForceClaims": 1,
        "oidcRPMetaDataOptionsRequirePKCE": 1,
        "oidcRPMetaDataOptionsUserIDAttr": "uid",
        "oidcRPMetaDataOptionsBypassConsent": 0,
    }},
}

os.makedirs(f"{RUN}/configuration", exist_ok=True)
with open(f"{RUN}/configuration/lmConf-1.json", "w") as file:
    json.dump(configuration, file)
with open(f"{RUN}/lemonldap-ng.ini", "w") as file:
    file.write(f"""[all]
logLevel = notice
checkTime = 1
[configuration]
type = File
dirName = {RUN}/configuration
localStorage = Cache::FileCache
localStorageOptions = {{'namespace' => 'configuration', 'cache_root' => '{RUN}/cache'}}
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
""")
