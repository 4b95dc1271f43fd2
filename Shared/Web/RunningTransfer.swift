import CCurl
import Glibc
import Model

/// Running transfer: its libcurl handle, progress and response.
final class RunningTransfer {
    let transfer: Transfer
    let easy: UnsafeMutableRawPointer
    let started: ContinuousClock.Instant
    /// The socket that libcurl last waited for in this transfer.
    var socket: Int32 = -1
    /// Bytes of a mail's message passed to libcurl.
    var sentBytes = 0
    var answer = ResponseCollector()
    var dialogue = MailDialogue()
    /// Lists that libcurl uses until the end of the transfer.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// Nil if libcurl does not accept the call.
    init?(_ transfer: Transfer, _ now: ContinuousClock.Instant) {
        guard let easy = curl_easy_init() else { return nil }
        self.transfer = transfer
        self.easy = easy
        started = now
        let isAccepted =
            switch transfer.call {
            case .http(let call): setUp(call)
            case .mail(let call): setUp(call)
            }
        guard isAccepted, setUpAll() else {
            free()
            return nil
        }
    }

    /// Frees the handle. Call it once, after removing it from libcurl's multi handle.
    func free() {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }

    /// The outcome of the transfer.
    ///
    /// - Parameter code: libcurl's `CURLcode`
    func outcome(_ code: Int32) -> TransferOutcome {
        let failure = code == Int32(CURLE_OK.rawValue) ? nil : Curl.message(code, easy)
        switch transfer.call {
        case .http: return answer.outcome(failure, easy)
        case .mail: return dialogue.outcome(failure)
        }
    }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func of(_ context: UnsafeMutableRawPointer?) -> RunningTransfer {
        Unmanaged<RunningTransfer>.fromOpaque(context!).takeUnretainedValue()
    }

    // MARK: - Options

    private func setUpAll() -> Bool {
        set(CURLOPT_NOSIGNAL, 1) && set(CURLOPT_QUICK_EXIT, 1)
            && set(CURLOPT_TIMEOUT_MS, max(1, transfer.timeoutMilliseconds))
            // Ignore proxies from environment variables.
            && set(CURLOPT_PROXY, "")
            && set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    }

    func set(_ option: CURLoption, _ number: Int) -> Bool {
        ccurl_set_number(easy, option, number) == 0
    }

    /// Sets a text option. Returns false if libcurl rejects it, or for a text with a NUL, a line
    /// break or another control character.
    func set(_ option: CURLoption, _ text: String) -> Bool {
        isOneLine(text) && ccurl_set_text(easy, option, text) == 0
    }

    func set(_ option: CURLoption, _ callback: curl_write_callback, _ data: CURLoption) -> Bool {
        ccurl_set_data_callback(easy, option, callback) == 0
            && ccurl_set_pointer(easy, data, context) == 0
    }

    func set(_ option: CURLoption, _ lines: [String]) -> Bool {
        guard lines.allSatisfy(isOneLine) else { return false }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        guard let list else { return lines.isEmpty }
        lists.append(list)
        return ccurl_set_list(easy, option, list) == 0
    }

    func set(_ login: Login?) -> Bool {
        guard let login else { return true }
        return set(CURLOPT_USERNAME, login.user) && set(CURLOPT_PASSWORD, login.password)
    }

    func setAuthorities(_ file: String?) -> Bool {
        guard let file else { return true }
        return set(CURLOPT_CAINFO, file)
    }
}

/// Whether a text has no control characters except tabs, so that it fits in one protocol line.
func isOneLine(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
}

/// Global state of libcurl.
enum Curl {
    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Initialises libcurl. Call it before anything else of the library.
    static func initialise() {
        invariant(isInitialised, "libcurl can be initialised")
    }

    /// The library's message, with that of the system if there is one.
    static func message(_ code: Int32, _ easy: UnsafeMutableRawPointer) -> String {
        let text = String(cString: curl_easy_strerror(CURLcode(UInt32(code))))
        let system = Int32(ccurl_number(easy, CURLINFO_OS_ERRNO))
        return system == 0 ? text : text + ": " + String(cString: strerror(system))
    }
}
