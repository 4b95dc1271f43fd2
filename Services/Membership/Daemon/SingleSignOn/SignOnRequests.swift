import Hosting
import Model
import Runtime
import Web

/// Passes requests about signing in to the way of signing in that handles them.
struct SignOnRequests {
    let providers: SignOnEndpoints
    let passkeys: PasskeyEndpoints

    func load() throws {
        try providers.load()
        try passkeys.load()
    }

    func tick() throws {
        try providers.tick()
        try passkeys.tick()
    }

    func personRemoved(_ person: PersonID) throws {
        try providers.personRemoved(person)
        try passkeys.personRemoved(person)
    }

    func handle(
        _ signing: Route.SigningOn, _ request: Request, _ parameters: Parameters
    ) throws {
        switch signing {
        case .providers: providers.list(request)
        case .startAtProvider: try providers.start(request, provider: parameters["provider"])
        case .returnFromProvider:
            try providers.callback(request, provider: parameters["provider"])
        case .providerLogout: try providers.logout(request, provider: parameters["provider"])
        case .signOut: try providers.signOut(request)
        case .identities: try providers.identities(request, of: try parameters.person)
        case .passkeys: try passkeys.list(request, of: try parameters.person)
        case .passkeyOptions: try passkeys.registrationOptions(request, of: try parameters.person)
        case .addPasskey: try passkeys.register(request, for: try parameters.person)
        case .removePasskey:
            try passkeys.remove(
                request, try parameters.id("passkey", PasskeyID.self), of: try parameters.person)
        case .passkeySignInOptions: try passkeys.signInOptions(request)
        case .signInWithPasskey: try passkeys.signIn(request)
        }
    }
}

extension Parameters {
    fileprivate var person: PersonID {
        get throws(Problem) { try id("person", PersonID.self) }
    }
}
