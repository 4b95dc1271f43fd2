import Runtime
import Web

/// Settings of gateways, and the drivers built from them.
public enum GatewaySettings {
    /// Built-in copies of the files in deploy/gateways, by name.
    static let shipped: [String: [UInt8]] = [
        "gammu-smsd": PackageResources.gammu_smsd_conf, "jasmin": PackageResources.jasmin_conf,
        "kannel": PackageResources.kannel_conf, "twilio": PackageResources.twilio_conf,
        "vonage": PackageResources.vonage_conf,
    ]

    private static let shippedNames = shipped.keys.sorted().joined(separator: ", ")

    /// All gateway settings, for the service's ``Configuration``.
    public static let all: [Setting] = [
        Setting(
            "JAGA_SMS_GATEWAY", .nameOrPath,
            help: "SMS gateway: \(shippedNames), the path of a description file, or sink."),
        Setting(
            "JAGA_SMS_URL", .url(["http", "https"]),
            help: "Address of the SMS gateway; some kinds have a default."),
        Setting("JAGA_SMS_USER", .text, help: "User at the SMS gateway."),
        Setting(
            "JAGA_SMS_PASSWORD_FILE", .secretFile, help: "File with the SMS gateway's password."),
        Setting(
            "JAGA_SMS_ACCOUNT", .text,
            help: "Account at the SMS gateway; default: the user."),
        Setting("JAGA_SMS_SENDER", .text, help: "Sender number or name of SMS."),
        Setting(
            "JAGA_SMS_CA_FILE", .path,
            help: "PEM file with the CA to trust for the SMS gateway; default: the system's CAs."),
        Setting(
            "JAGA_SMS_CALLBACK_URL", .url(["http", "https"]),
            help: "Base address under which the SMS gateway reaches this server."),
        Setting(
            "JAGA_SMS_REPLIES", .flag, default: "off",
            help: "The SMS gateway delivers incoming texts; alarms then say how to reply."),
        Setting(
            "JAGA_SMS_TIMEOUT", .integer(1...60), default: "15", unit: "seconds",
            help: "Timeout of a request to the SMS gateway."),
        Setting(
            "JAGA_NOTIFIER_TRIAL", .flag, default: "off",
            help: "Without a gateway, count the built-in sink as one, to try Jaga out."),
        Setting(
            "JAGA_MAIL_URL", .url(["smtp", "smtps"]),
            help: "Address of the mail server; requires TLS, by STARTTLS or smtps."),
        Setting(
            "JAGA_MAIL_FROM", .text,
            help: "Sender of mails, such as Jaga <jaga@example.org>."),
        Setting("JAGA_MAIL_USER", .text, help: "User at the mail server."),
        Setting(
            "JAGA_MAIL_PASSWORD_FILE", .secretFile, help: "File with the mail server's password."),
        Setting(
            "JAGA_MAIL_CA_FILE", .path,
            help: "PEM file with the CA to trust for the mail server; default: the system's CAs."),
        Setting(
            "JAGA_MAIL_TIMEOUT", .integer(1...90), default: "30", unit: "seconds",
            help: "Timeout of a transfer to the mail server."),
    ]

    /// Builds the drivers in order of preference, or the built-in sink if none is configured.
    ///
    /// - Parameter callbackBase: used if `JAGA_SMS_CALLBACK_URL` is not set
    /// - Throws: ``GatewayError`` for an unusable or incomplete gateway configuration,
    ///   `ConfigurationError` for an unreadable secret
    public static func drivers(
        _ configuration: Configuration, callbackBase: String
    ) throws -> [GatewayDriver] {
        try checkComplete(configuration)
        let mailURL = configuration.optional("JAGA_MAIL_URL")
        var drivers: [GatewayDriver] = []
        switch configuration.optional("JAGA_SMS_GATEWAY") {
        case GatewayDriver.sinkName?:
            drivers.append(.chosenSink(for: mailURL == nil ? GatewayDriver.sinkChannels : [.sms]))
        case let gateway?:
            drivers.append(try sms(gateway, configuration, callbackBase: callbackBase))
        case nil: break
        }
        if let mailURL { drivers.append(try mail(mailURL, configuration)) }
        if !drivers.isEmpty { return drivers }
        return [
            configuration.flag("JAGA_NOTIFIER_TRIAL")
                ? .chosenSink(for: GatewayDriver.sinkChannels) : .defaultSink
        ]
    }

    /// Rejects gateway settings that would have no effect because the gateway itself is not set.
    private static func checkComplete(_ configuration: Configuration) throws(GatewayError) {
        let sms = [
            "JAGA_SMS_URL", "JAGA_SMS_USER", "JAGA_SMS_PASSWORD_FILE", "JAGA_SMS_ACCOUNT",
            "JAGA_SMS_SENDER", "JAGA_SMS_CA_FILE", "JAGA_SMS_CALLBACK_URL",
        ].filter { configuration.optional($0) != nil }
        let replies = configuration.flag("JAGA_SMS_REPLIES") ? ["JAGA_SMS_REPLIES"] : []
        try checkComplete(
            configuration, "JAGA_SMS_GATEWAY", others: sms + replies,
            hint: "Set JAGA_SMS_GATEWAY to \(shippedNames), or the path of a file")
        if configuration.optional("JAGA_SMS_GATEWAY") == GatewayDriver.sinkName,
            configuration.optional("JAGA_SMS_URL") != nil
        {
            throw GatewayError(
                setting: "JAGA_SMS_GATEWAY",
                "sink sends nothing, but JAGA_SMS_URL is set",
                hint: "Set it to \(shippedNames), or the path of a file; or remove JAGA_SMS_URL.")
        }
        let mail = [
            "JAGA_MAIL_FROM", "JAGA_MAIL_USER", "JAGA_MAIL_PASSWORD_FILE", "JAGA_MAIL_CA_FILE",
        ].filter { configuration.optional($0) != nil }
        try checkComplete(
            configuration, "JAGA_MAIL_URL", others: mail,
            hint: "Set JAGA_MAIL_URL to the mail server, such as smtp://mail.example.org:587")
    }

    private static func checkComplete(
        _ configuration: Configuration, _ name: String, others: [String], hint: String
    ) throws(GatewayError) {
        guard configuration.optional(name) == nil, !others.isEmpty else { return }
        let names = others.joined(separator: ", ")
        throw GatewayError(
            setting: name, "not set, but \(names) \(others.count == 1 ? "is" : "are")",
            hint: "\(hint); or remove \(names).")
    }

    private static func sms(
        _ gateway: String, _ configuration: Configuration, callbackBase: String
    ) throws -> GatewayDriver {
        let description = try description(of: gateway)
        guard let url = configuration.optional("JAGA_SMS_URL") ?? description.defaultURL else {
            throw GatewayError(
                setting: "JAGA_SMS_URL", "not set, and \(description.name) has no default address",
                hint: "Set it to the address of the gateway.")
        }
        let login = try login(configuration, "JAGA_SMS_USER", "JAGA_SMS_PASSWORD_FILE")
        let hasAccount = configuration.optional("JAGA_SMS_ACCOUNT") != nil
        guard login != nil || !description.needsLogin(hasAccount: hasAccount) else {
            throw GatewayError(
                setting: "JAGA_SMS_USER",
                "not set, but \(description.name) requires user and password",
                hint: "Set it and JAGA_SMS_PASSWORD_FILE.")
        }
        let callback = configuration.optional("JAGA_SMS_CALLBACK_URL") ?? callbackBase
        let account = HTTPGateway.Account(
            url: withoutSlash(url),
            login: login,
            account: configuration.optional("JAGA_SMS_ACCOUNT"),
            sender: configuration.optional("JAGA_SMS_SENDER") ?? "",
            authoritiesFile: configuration.optional("JAGA_SMS_CA_FILE"),
            callbackBase: withoutSlash(callback),
            timeoutMilliseconds: configuration.int("JAGA_SMS_TIMEOUT") * 1000)
        return GatewayDriver(
            name: description.name, channels: [.sms],
            kind: .http(HTTPGateway(description: description, account: account)))
    }

    /// Loads the description of a shipped gateway or of a file.
    static func description(of gateway: String) throws(GatewayError) -> GatewayDescription {
        if let bytes = shipped[gateway] {
            return try GatewayFile.parse(String(decoding: bytes, as: UTF8.self), file: gateway)
        }
        let bytes: [UInt8]
        do { bytes = try Files.read(gateway, bytesMax: 64 << 10) } catch {
            throw GatewayError(
                "gateway-unreadable", reading: gateway, error.message,
                hint: ConfigurationError.guess(gateway, among: shipped.keys.sorted())
                    + "Set JAGA_SMS_GATEWAY to \(shippedNames), sink, or the path of a file such "
                    + "as ./own.conf, in jaga.conf relative to the home, else to the "
                    + "working folder.")
        }
        return try GatewayFile.parse(String(decoding: bytes, as: UTF8.self), file: gateway)
    }

    private static func mail(_ url: String, _ configuration: Configuration) throws -> GatewayDriver
    {
        guard let from = configuration.optional("JAGA_MAIL_FROM"), let sender = MailAddress(from)
        else {
            throw GatewayError(
                setting: "JAGA_MAIL_FROM", "not set, or not a mail address",
                hint: "Write for example JAGA_MAIL_FROM=Jaga <jaga@example.org>.")
        }
        let gateway = MailGateway(
            url: url, sender: sender,
            login: try login(configuration, "JAGA_MAIL_USER", "JAGA_MAIL_PASSWORD_FILE"),
            authoritiesFile: configuration.optional("JAGA_MAIL_CA_FILE"),
            timeoutMilliseconds: configuration.int("JAGA_MAIL_TIMEOUT") * 1000)
        return GatewayDriver(name: "mail", channels: [.email], kind: .mail(gateway))
    }

    private static func login(
        _ configuration: Configuration, _ userName: String, _ passwordName: String
    ) throws -> Login? {
        let password = try configuration.secret(passwordName)
        guard let user = configuration.optional(userName) else {
            guard password == nil else {
                throw GatewayError(
                    setting: userName, "not set, but \(passwordName) is", hint: "Set both.")
            }
            return nil
        }
        guard let password else {
            throw GatewayError(
                setting: passwordName, "not set, but \(userName) is", hint: "Set both.")
        }
        return Login(user: user, password: password)
    }

    private static func withoutSlash(_ url: String) -> String {
        String(url.reversed().drop { $0 == "/" }.reversed())
    }
}
