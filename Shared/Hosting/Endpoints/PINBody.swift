import Model
import Parsing
import Web

extension Request {
    /// The PIN in the body; nil = there is none. Other members are ignored: an app that sends more
    /// must be able to end an emergency.
    ///
    /// - Throws: 400 if it is no text of 4 to 8 digits
    public func pin() throws -> String? {
        guard !body.isEmpty, let value = try json()["pin"], !value.isNull else { return nil }
        guard let text = value.string, PersonPIN.isValid(text) else {
            throw Problem.invalid(
                "pin must be a text of 4 to 8 digits", field: "pin",
                hint: "put the digits in quotation marks: \"4711\"")
        }
        return text
    }
}

/// Responses to requests that may need a PIN.
public enum PINResponses {
    /// How long after its request each of them leaves: above the time that any of the work takes,
    /// so that it does not show which PIN was entered.
    public static let delay = Duration.milliseconds(200)
}
