import Model

struct IndonesianPhrases: MalayPhrasebook {
    func trigger(_ trigger: EmergencyTrigger, by: String?) -> String {
        switch trigger {
        case .panic: "tombol panik"
        case .shake: "ponsel diguncang"
        case .fall: "terjatuh"
        case .crash: "kecelakaan"
        case .noMotion: "tidak ada gerakan"
        case .watchExpired: "pemantauan habis tanpa jawaban"
        case .lostContact: "kontak terputus"
        case .sms: "lewat SMS"
        case .link: "lewat tautan"
        case .zone: "zona bahaya"
        case .guardian: "dipanggil oleh \(by ?? "wali")"
        }
    }

    func seen(at: String) -> String { "Terlihat \(at)" }

    func ago(days: Int64, hours: Int64, minutes: Int64) -> String {
        if days > 0 { return "\(days) hari \(hours) jam lalu" }
        return hours > 0 ? "\(hours) jam \(minutes) menit lalu" : "\(minutes) menit lalu"
    }

    func repetition(_ repetition: Repetition) -> String? {
        switch repetition {
        case .first: nil
        case .unanswered: "BELUM ADA JAWABAN"
        case .pressedAgain: "DITEKAN LAGI"
        case .another: "ALARM LAIN"
        case .record: "Diterima terlambat"
        }
    }

    var suspectPosition: String { "Posisi diragukan" }
    var underDuress: String { "DALAM ANCAMAN: JANGAN TELEPON ATAU SMS DIA" }

    func certainty(metres: Int?, taken: String) -> String {
        metres.map { "dalam \($0) m, \(taken)" } ?? "akurasi tidak diketahui, \(taken)"
    }

    func late(due: String, until: String) -> String {
        "Terlambat: seharusnya \(due), server kami mati sampai \(until)"
    }
    var noPosition: String { "Posisi tidak diketahui" }
    var positionNotShared: String { "Posisi tidak dibagikan" }
    func position(_ coordinates: String) -> String { "Posisi \(coordinates)" }
    func battery(_ percent: UInt8) -> String { "Baterai \(percent)%" }
    func note(_ note: String) -> String { "Catatan: \(note)" }
    func respondInApp(reference: String) -> String { "Tangani di Jaga, ref \(reference)" }
    func respondOnPage(_ link: String) -> String { "Bantu: \(link)" }
    func seePage(_ link: String) -> String { "Lihat: \(link)" }
    func confirmOnPage(_ link: String) -> String { "Konfirmasi atau lepaskan: \(link)" }
    func reference(_ reference: String) -> String { "Ref \(reference)" }
    func recipientReason(circle: String) -> String { "Anda diberi tahu sebagai anggota \(circle)" }

    func zone(_ event: ZoneContent, who: String, zone: String, at: String) -> String {
        let sentence =
            switch event {
            case .entered: "\(who) tiba di \(zone)"
            case .left: "\(who) keluar dari \(zone)"
            case .near: "\(who) berada di dekat \(zone)"
            case .stays: "\(who) masih berada di \(zone)"
            case .staysUnseen(let minutes):
                "\(who) masih berada di \(zone), posisi terakhir \(minutes) menit lalu"
            case .passedThrough: "\(who) melewati \(zone)"
            case .alertEntered: "PERINGATAN \(who) memasuki \(zone)"
            case .alertNear: "PERINGATAN \(who) berada di dekat \(zone)"
            case .alertInside: "PERINGATAN \(who) berada di \(zone)"
            case .alertLeft: "Alarm selesai: \(who) keluar dari \(zone)"
            case .alertOver: "Alarm selesai: \(who), zona \(zone)"
            }
        return "\(sentence), \(at)"
    }

    func absent(who: String, zone: String, by: String) -> String {
        "\(who) tidak ada di \(zone) pukul \(by)"
    }

    func noContact(who: String, zone: String, by: String, since: String?) -> String {
        "\(who): tidak ada kontak\(since.map { " sejak \($0)" } ?? "") (\(zone), \(by))"
    }

    func ownAlarm(zone: String, near: Bool, at: String) -> String {
        "PERINGATAN: Anda berada di \(near ? "dekat " : "")\(zone), \(at)"
    }

    func acknowledged(who: String, by: String?) -> String {
        "\(by ?? "Operator") sedang menangani darurat \(who)"
    }

    func acknowledgedElsewhere(who: String, by: String?) -> String {
        "\(by ?? "Operator") dari grup lain menangani darurat \(who)."
            + " Grup Anda diberi tahu sampai ada yang menanggapi"
    }

    func cancelled(who: String) -> String { "Darurat berakhir: dibatalkan oleh \(who)" }

    func resolved(who: String, by: String?) -> String {
        "Darurat \(who) berakhir: diselesaikan oleh \(by ?? "operator")"
    }

    func endedElsewhere(who: String, by: String?, circles: String) -> String {
        "\(by ?? "Operator") mengakhiri darurat \(who) untuk \(circles)."
            + " Bagi Anda masih berlangsung"
    }

    func ownEnded(by: String?, circles: String?) -> String {
        "\(by ?? "Operator") mengakhiri darurat Anda\(circles.map { " untuk \($0)" } ?? "")."
            + " Anda aman?"
    }

    func ownEndedAnswer(goesOn: Bool) -> [String] {
        guard goesOn else { return ["Jika masih butuh bantuan, minta bantuan lagi"] }
        return [
            "Jika ya, konfirmasi di Jaga",
            "Sampai saat itu grup Anda yang lain tetap siaga",
        ]
    }

    func acknowledgementReminder(who: String, minutes: Int64) -> String {
        "Masih membantu \(who)? Konfirmasi dalam \(minutes) menit"
            + " atau kami memberi tahu yang lain lagi"
    }

    func ownAcknowledged(by: String?) -> String {
        "\(by ?? "Operator") sedang menangani darurat Anda"
    }

    func ownNobodyReached(number: String) -> String {
        "Belum ada yang terhubung, kami terus mencoba. Hubungi \(number) jika bisa"
    }

    func ownCountdown(_ trigger: String, alarmAt: String) -> String {
        "Apakah Anda OK? Dilaporkan: \(trigger). Kami beri tahu grup Anda pukul \(alarmAt)."
            + " Batalkan di Jaga jika OK"
    }

    func ownRaised(by: String?) -> String {
        "\(by ?? "Wali") meminta bantuan atas nama Anda. Jika aman, beri tahu mereka"
    }

    func watchReminder(deadline: String) -> String {
        "Anda baik-baik saja? Pemantauan Anda berakhir pukul \(deadline). Akhiri atau"
            + " perpanjang di Jaga atau kami memberi tahu grup Anda"
    }

    func extendOnPage(_ link: String) -> String { "Perpanjang atau akhiri: \(link)" }
    func answerOnPage(_ link: String) -> String { "Jawab: \(link)" }

    func checkInDue(name: String, due: String, alarmAt: String) -> String {
        let check = name.isEmpty ? "" : " \(name)"
        return "Anda baik-baik saja? Konfirmasi\(check) seharusnya pukul \(due). Jawab atau kami"
            + " memberi tahu grup Anda pukul \(alarmAt)"
    }

    var safeByReply: String { "Atau balas AMAN dan PIN Anda" }

    func timeUp(_ text: String, due: String?) -> String {
        "Waktu habis!\(text.isEmpty ? "" : " \(text)")"
            + (due.map { ", seharusnya pukul \($0)" } ?? "")
    }

    func safety(_ reply: SafetyReply) -> String {
        switch reply {
        case .noted: "Dicatat: Anda aman"
        case .pinNeeded: "PIN Anda diperlukan. Balas AMAN dan PIN Anda"
        case .wrongPIN: "PIN salah. Balas AMAN dan PIN Anda"
        case .inApp: "SMS tanpa PIN tidak dapat mengakhiri pemantauan. Akhiri di Jaga"
        }
    }

    var extendByReply: String { "Atau balas PERPANJANG 30 untuk tambah 30 menit" }

    func watchExtended(deadline: String) -> String {
        "Pemantauan Anda kini berakhir pukul \(deadline)"
    }

    var howToExtend: String {
        "Untuk memperpanjang pemantauan, balas PERPANJANG dan menit, misalnya PERPANJANG 30"
    }
    var noWatch: String { "Anda tidak punya pemantauan yang berjalan" }

    func arrived(who: String, zone: String, at: String) -> String {
        "\(who) tiba di \(zone), \(at). Keadaan darurat tetap terbuka sampai ada yang mengakhirinya"
    }

    func transition(_ transition: Transition, zones: String) -> String {
        switch transition {
        case .enter: zones
        case .exit: "keluar dari \(zones)"
        case .approach: "dekat \(zones)"
        case .dwell: "masih di \(zones)"
        case .cross: "melewati \(zones)"
        case .absent: "tidak ada di \(zones)"
        }
    }

    func checkIn(since: String, alarmAt: String?) -> String {
        "Anda baik-baik saja? Ponsel Anda tanpa sinyal sejak \(since). Konfirmasi di Jaga"
            + (alarmAt.map { " atau kami memberi tahu grup Anda pukul \($0)" } ?? "")
    }

    func contactLost(who: String, since: String) -> String {
        "Tidak ada kontak dengan \(who) sejak \(since), dan tidak ada jawaban"
    }

    func contactRestored(who: String) -> String { "Kontak dengan \(who) pulih" }
    func ownBattery(_ percent: UInt8) -> String { "Baterai ponsel Anda tinggal \(percent)%" }

    func ownImpairment(_ cause: String) -> String {
        "Ponsel Anda mungkin berhenti melapor: \(cause)"
    }

    func impairment(who: String, _ cause: String) -> String {
        "Ponsel \(who) mungkin berhenti melapor: \(cause)"
    }

    func impairment(_ impairment: Impairment) -> String {
        switch impairment {
        case .locationPermission: "aplikasi tidak punya izin lokasi"
        case .approximateLocation: "lokasi hanya perkiraan"
        case .batteryOptimisation: "penghemat baterai menghentikan aplikasi"
        case .powerSave: "penghemat daya aktif"
        case .hibernation: "sistem menidurkan aplikasi"
        case .backgroundRefresh: "aplikasi tidak boleh berjalan di latar belakang"
        case .signedOut: "aplikasi telah keluar dari akun"
        case .undecryptable: "Jaga tidak bisa mendekripsi datanya, kunci salah"
        }
    }

    func sender(_ who: String) -> String { "Dari \(who) lewat Jaga, STOP untuk berhenti" }

    func invitation(who: String, code: String) -> String {
        "\(who) ingin mengirim pesan kepada Anda. Jika setuju, beri tahu kode Anda \(code)"
    }

    func circleInvitation(who: String, link: String) -> String {
        "\(who) mengundang Anda berbagi posisi. Baca siapa yang akan melihat Anda: \(link)"
    }

    func consent(who: String) -> String {
        "\(who) bertanya apakah orang lain boleh melihat lebih banyak tentang Anda. "
            + "Setujui atau tolak di Jaga"
    }

    func takeOver(ward: String, date: String) -> String {
        "\(ward) mengambil alih akun pada \(date). Setelah itu wali tidak lagi bertindak untuknya"
    }

    func zoneFile(who: String, file: String) -> String {
        "\(who) mengirim zona kepada Anda dalam berkas \(file)"
    }

    var reviewZones: String { "Periksa zona itu di Jaga sebelum menerimanya" }

    func account(_ message: AccountMessage, site: String) -> String {
        switch message {
        case .signInCode(let code): "\(code) adalah kode Anda untuk masuk ke \(site)"
        case .contactCode(let code):
            "\(code) adalah kode Anda untuk mengonfirmasi kontak ini di \(site)"
        case .contactReminder: "\(site): mohon konfirmasi bahwa kontak ini milik Anda"
        case .contactTest: "\(site): ini pesan uji yang Anda minta"
        case .contactRemoved: "\(site): kontak ini telah dihapus dari akun Anda"
        case .newSession: "\(site): peramban baru telah masuk ke akun Anda"
        }
    }

    func accountAdvice(_ message: AccountMessage) -> String {
        switch message {
        case .signInCode:
            "Berlaku 10 mnt. Jangan berikan kepada siapa pun, kami tidak pernah memintanya"
        case .contactCode: "Berlaku 10 mnt. Jika Anda tidak memintanya, abaikan saja"
        case .contactReminder:
            "Masuk dan minta kode. Sebelum itu hanya darurat yang dikirim"
        case .contactTest: "Tidak perlu tindakan"
        case .contactRemoved: "Jika bukan Anda, periksa kontak di akun Anda"
        case .newSession: "Jika bukan Anda, masuk dan akhiri sesinya"
        }
    }

    func withdrawByReply(reference: String) -> String { "Bukan Anda? Balas BUKAN \(reference)" }

    func handedBack(who: String) -> String {
        "Anda melepaskan darurat \(who). Yang lain diberi tahu lagi"
    }

    var tooManyCodes: String {
        "Terlalu banyak kode salah. Pakai Jaga atau coba lagi dalam sejam"
    }

    func youRespond(who: String) -> String {
        "Anda menangani darurat \(who). Yang lain diberi tahu"
    }

    func referenceNeeded(who: String, reference: String) -> String {
        "Untuk menangani darurat \(who), balas OK \(reference)"
    }

    var confirmInApp: String {
        "SMS tidak bisa mengakhiri darurat Anda. Konfirmasi di Jaga bahwa sudah berakhir"
    }

    var nobodyShares: String { "Tidak ada yang membagikan posisi kepada Anda" }
    var sharedNumber: String {
        "Beberapa orang memakai nomor ini, jadi posisi tidak dikirim. Lihat di Jaga"
    }
    var tooManyQuestions: String { "Anda bertanya 10 kali dalam satu jam. Coba lagi nanti" }
    var sharingPaused: String { "berbagi dijeda" }
    func inNoZone(at: String) -> String { "di luar semua zona, \(at)" }
    func morePositions(_ count: Int) -> String { "\(count) lagi di Jaga" }
    var replyWords: String {
        "Kata: SOS atau TOLONG meminta bantuan. MANA mengirim posisi."
            + " OK dan kode menjawab alarm. PERPANJANG 30 memperpanjang pemantauan,"
            + " AMAN dan PIN Anda mengakhirinya. STOP menghentikan peringatan zona"
    }
    func drill(who: String, circle: String) -> String {
        "ini latihan \(circle), dimulai oleh \(who). Tidak ada yang dalam bahaya"
    }
    func answerDrill(_ link: String) -> String { "Jawab: \(link)" }
    var drillAnswered: String { "Terima kasih, jawaban Anda untuk latihan sudah dicatat" }

    var sosReceived: String { "SOS diterima. Kami sedang memberi tahu grup Anda" }
    var optedOut: String {
        "Anda hanya akan menerima keadaan darurat. Balas START untuk menerima info zona lagi"
    }
    var optedIn: String { "Anda akan menerima info zona lagi" }

    func test(gateway: String) -> String { "Ini uji coba \(gateway). Tidak perlu tindakan" }
}
