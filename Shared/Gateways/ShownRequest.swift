import Hashing
import Model
import Parsing
import Web

// What goes over the wire for a message, for people to read.
extension GatewayDriver {
    /// In place of a secret.
    static let masked = "MASKED"

    /// The whole request for a message, as it goes over the wire, with `MASKED` for the password,
    /// for the token in the callback's address and for what the configured address may have of
    /// secrets. Nil where the address is none for this gateway.
    public func shown(_ message: GatewayMessage) -> String? {
        let whole = message
        var message = message
        message.receiptToken = GatewayDriver.masked
        switch kind {
        case .http(let gateway):
            // As long as it is with its secrets.
            let length = gateway.call(for: whole)?.body.count
            return gateway.withoutSecrets.call(for: message)?.wireText(ofLength: length)
        case .mail(let gateway): return gateway.withoutSecrets.call(for: message)?.wireText
        case .sink: return "nothing leaves: the built-in outbox keeps the message\n"
        }
    }
}

extension HTTPGateway {
    fileprivate var withoutSecrets: HTTPGateway {
        var account = account
        account.login?.password = GatewayDriver.masked
        account.url = HTTPGateway.masked(account.url)
        return HTTPGateway(description: description, account: account)
    }

    /// An address without the password before its host and the values of its query.
    static func masked(_ url: String) -> String {
        var url = url
        if let scheme = url.firstRange(of: "://") {
            let rest = url[scheme.upperBound...]
            let host = rest.prefix { $0 != "/" && $0 != "?" }
            if let at = host.lastIndex(of: "@") {
                url = url[..<scheme.upperBound] + GatewayDriver.masked + rest[at...]
            }
        }
        guard let query = url.firstIndex(of: "?") else { return url }
        let pairs = url[url.index(after: query)...].split(separator: "&").map { pair in
            pair.prefix { $0 != "=" } + "=" + GatewayDriver.masked
        }
        return url[...query] + pairs.joined(separator: "&")
    }
}

extension HTTPCall {
    /// The request as libcurl sends it, after a line with where it goes.
    ///
    /// - Parameter length: bytes of the body, where it is not this one that is sent
    func wireText(ofLength length: Int? = nil) -> String {
        let (origin, path) = HTTPCall.parts(of: url)
        let host = origin.split(separator: "/").last.map(String.init) ?? ""
        var lines = ["to \(origin)", "", "\(method.rawValue) \(path) HTTP/1.1"]
        lines.append("Host: \(host.split(separator: "@").last.map(String.init) ?? host)")
        if let login {
            let isMasked = login.password == GatewayDriver.masked
            let credentials = Base64.encode(Array("\(login.user):\(login.password)".utf8))
            lines.append(
                "Authorization: Basic \(isMasked ? GatewayDriver.masked : credentials)")
        }
        lines += ["User-Agent: jaga", "Accept: */*"]
        lines += headers.map { "\($0.name): \($0.value)" }
        if !body.isEmpty || [.post, .put, .patch].contains(method) {
            lines.append("Content-Length: \(length ?? body.count)")
        }
        return (lines + ["", HTTPCall.readable(body)]).joined(separator: "\n")
    }

    /// `https://host:port`, and what comes after it.
    private static func parts(of url: String) -> (origin: String, path: String) {
        guard let scheme = url.firstRange(of: "://") else { return (url, "/") }
        let end = url[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex
        let path = String(url[end...])
        return (String(url[..<end]), path.hasPrefix("/") ? path : "/" + path)
    }

    /// A text as it is, anything else as hexadecimal digits.
    private static func readable(_ body: [UInt8]) -> String {
        let text = String(validating: body, as: UTF8.self)
        if let text, !text.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\n" }) {
            return text.isEmpty ? "" : text + "\n"
        }
        let digits = body.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
        return "(\(body.count) bytes in hexadecimal) \(digits.joined())\n"
    }
}

extension MailGateway {
    fileprivate var withoutSecrets: MailGateway {
        var gateway = self
        gateway.login?.password = GatewayDriver.masked
        return gateway
    }
}

extension MailCall {
    /// What is said to the server once TLS stands, and the message.
    var wireText: String {
        var lines = ["to \(url)", ""]
        if let login { lines.append("AUTH as \(login.user), password \(login.password)") }
        lines += ["MAIL FROM:<\(sender)>", "RCPT TO:<\(recipient)>", "DATA"]
        let text = String(decoding: message, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        return (lines + text.map(String.init)).joined(separator: "\n")
    }
}
