import Model
import Web

extension MembershipService {
    /// Passes a request about signing in to the part that handles it.
    func signOn(
        _ signing: Route.SigningOn, _ request: Request, _ parameters: Parameters
    ) throws {
        switch signing {
        case .providers: signOn.list(request)
        case .startAtProvider: try signOn.start(request, provider: parameters["provider"])
        case .returnFromProvider: try signOn.callback(request, provider: parameters["provider"])
        case .providerLogout: try signOn.logout(request, provider: parameters["provider"])
        case .signOut: try signOn.signOut(request)
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
