import Hashing
import Model
import Parsing
import Web

// MARK: - Masked requests for display
extension GatewayDriver {
    /// Replacement for a secret.
    static let masked = "MASKED"

    /// The request for a message as sent on the wire, with `MASKED` for secrets.
    ///
    /// Masks the password, the token in the callback address, and credentials in the configured
    /// address. Nil if the gateway cannot send to the address.
    public func maskedRequest(for message: GatewayMessage) -> String? {
        let whole = message
        var message = message
        message.receiptToken = GatewayDriver.masked
        switch kind {
        case .http(let gateway):
            // Content-Length must be that of the unmasked body.
            let length = gateway.call(for: whole)?.body.count
            return gateway.withoutSecrets.call(for: message)?.wireText(ofLength: length)
        case .mail(let gateway): return gateway.withoutSecrets.call(for: message)?.wireText
        case .sink: return "not sent: the built-in outbox keeps the message\n"
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

    /// Masks the credentials and the query values of an address.
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
    /// The request as libcurl sends it, preceded by a line with its destination.
    ///
    /// - Parameter length: Content-Length to display instead of the body's own length
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

    /// Splits an address into `https://host:port` and the rest.
    private static func parts(of url: String) -> (origin: String, path: String) {
        guard let scheme = url.firstRange(of: "://") else { return (url, "/") }
        let end = url[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex
        let path = String(url[end...])
        return (String(url[..<end]), path.hasPrefix("/") ? path : "/" + path)
    }

    /// Text unchanged, binary data as hexadecimal digits.
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
    /// The SMTP commands after the TLS handshake, and the message.
    var wireText: String {
        var lines = ["to \(url)", ""]
        if let login { lines.append("AUTH as \(login.user), password \(login.password)") }
        lines += ["MAIL FROM:<\(sender)>", "RCPT TO:<\(recipient)>", "DATA"]
        let text = String(decoding: message, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        return (lines + text.map(String.init)).joined(separator: "\n")
    }
}
