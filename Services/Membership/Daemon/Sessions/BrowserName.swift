/// Name of a browser for the list of sessions, such as "Firefox on Linux", from its `User-Agent`.
///
/// Browsers claim to be several others; the most specific claim comes first here.
enum BrowserName {
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
        ("SamsungBrowser/", "Samsung Internet"), ("Chrome/", "Chrome"), ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Macintosh", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    /// - Parameter userAgent: nil = not sent
    static func of(_ userAgent: String?) -> String {
        guard let userAgent else { return "" }
        let text = userAgent.prefix(500)
        let browser = browsers.first { text.contains($0.0) }?.1
        let system = systems.first { text.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?): return "\(browser) on \(system)"
        case (let browser?, nil): return browser
        case (nil, let system?): return system
        case (nil, nil): return ""
        }
    }
}
