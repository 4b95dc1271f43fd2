import CCurl
import Glibc
import Model

/// A transfer under way: its libcurl handle, what goes out and what came in.
final class RunningTransfer {
    let transfer: Transfer
    let easy: UnsafeMutableRawPointer
    let started: ContinuousClock.Instant
    /// The socket that libcurl last waited for on its behalf.
    var socket: Int32 = -1
    /// What of a mail's message libcurl has taken.
    var sentBytes = 0
    var answer = AnswerCollector()
    var dialogue = MailDialogue()
    /// Lists that libcurl reads until the end.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// Nil when libcurl does not take the call as it is.
    init?(_ transfer: Transfer, _ now: ContinuousClock.Instant) {
        guard let easy = curl_easy_init() else { return nil }
        self.transfer = transfer
        self.easy = easy
        started = now
        let isTaken =
            switch transfer.call {
            case .http(let call): setUp(call)
            case .mail(let call): setUp(call)
            }
        guard isTaken, setUpAll() else {
            free()
            return nil
        }
    }

    /// Gives the handle back; to be called once, when libcurl's multi handle has it no longer.
    func free() {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }

    /// - Parameter code: libcurl's `CURLcode`.
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
            // Only what is configured here decides where a call goes, no variable of a shell.
            && set(CURLOPT_PROXY, "")
            && set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    }

    func set(_ option: CURLoption, _ number: Int) -> Bool {
        ccurl_set_number(easy, option, number) == 0
    }

    /// False also for a text with a NUL, a line break or another control character.
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

/// Whether a text can stand in one line of a protocol.
func isOneLine(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
}

/// The library as a whole.
enum Curl {
    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// To be called before anything else of the library.
    static func initialise() {
        invariant(isInitialised, "libcurl can be initialised")
    }

    /// What happened, in the library's words, with the system's where there are some.
    static func message(_ code: Int32, _ easy: UnsafeMutableRawPointer) -> String {
        let text = String(cString: curl_easy_strerror(CURLcode(UInt32(code))))
        let system = Int32(ccurl_number(easy, CURLINFO_OS_ERRNO))
        return system == 0 ? text : text + ": " + String(cString: strerror(system))
    }
}
