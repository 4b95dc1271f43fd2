import Dialects
import Glibc
import Web

/// The secrets in a phone's request, in order of precedence: the `Authorization` header, the path,
/// the query or form, and the names of the phone.
///
/// Many apps cannot send a header: for them the device's token is part of the address or the name
/// in the app.
struct PhoneCredentials: Sequence, IteratorProtocol {
    /// Maximum length of a token.
    private static let bytesMax = 256

    private let body: [UInt8]
    private var secrets: [String]
    private var isBodyRead = false

    /// - Parameter token: the token in the path
    init(_ request: Request, token: String?) {
        body = request.body
        secrets = PhoneCredentials.header(request.headers)
        if let token { secrets.append(token) }
        if !request.query.items.isEmpty {
            secrets += PhoneIdentity.names.compactMap { request.query[$0] }
        }
        secrets.reverse()
    }

    /// The next secret; the body is read only if no secret before it matches.
    mutating func next() -> String? {
        while true {
            if let secret = secrets.popLast() {
                guard (1...PhoneCredentials.bytesMax).contains(secret.utf8.count) else { continue }
                return secret
            }
            guard !isBodyRead else { return nil }
            isBodyRead = true
            secrets = PhoneCredentials.inBody(body).reversed()
        }
    }

    /// Bearer, or Basic with the token as password, as user name, or not encoded.
    private static func header(_ headers: Headers) -> [String] {
        switch Credentials(headers) {
        case .bearer(let token): return [token]
        case .basic(let user, let password): return [password, user]
        case nil:
            guard let value = headers["Authorization"],
                value.prefix(6).lowercased() == "basic "
            else { return [] }
            return value.dropFirst(6).split(separator: ":").reversed().map(String.init)
        }
    }

    /// Reads only the start and does not parse JSON, because the sender is not authenticated yet.
    private static func inBody(_ body: [UInt8]) -> [String] {
        let start = body.prefix(65_536)
        let first = start.first { $0 > 0x20 }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            let form = Query(encoded: String(decoding: start, as: UTF8.self))
            return PhoneIdentity.names.compactMap { form[$0] }
        }
        return PhoneIdentity.names.compactMap { text(of: $0, in: start) }
    }

    /// The text after the first `"name":` without escapes; nil if there is none.
    private static func text(of name: String, in json: ArraySlice<UInt8>) -> String? {
        guard let key = json.firstRange(of: Array("\"\(name)\"".utf8)) else { return nil }
        let rest = json[key.upperBound...].drop { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        let text = rest.dropFirst().prefix(bytesMax + 1).prefix { $0 != UInt8(ascii: "\"") }
        return String(validating: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// The bytes without a secret, for payloads that are stored and may be shown.
    func without(_ secret: String) -> [UInt8] {
        var bytes = self
        for form in Set([secret, Percent.encode(secret)]) where !isEmpty && !form.isEmpty {
            bytes = bytes.without(Array(form.utf8))
        }
        return bytes
    }

    /// Payloads may be large: candidates are found with `memchr`, which is many times as fast as a
    /// generic search.
    private func without(_ secret: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var start = 0
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var place = 0
            while place + secret.count <= bytes.count,
                let found = memchr(base + place, Int32(secret[0]), bytes.count - place)
            {
                place = UnsafeRawPointer(found) - base
                guard place + secret.count <= bytes.count else { return }
                guard memcmp(base + place, secret, secret.count) == 0 else {
                    place += 1
                    continue
                }
                result += bytes[start..<place]
                result += Array("…".utf8)
                place += secret.count
                start = place
            }
        }
        return start == 0 ? self : result + self[start...]
    }
}
