package encoding

import (
	"math"
	"sync"
	"unicode"
	"unicode/utf8"
)

// script in which an encoding with several bytes a letter is written: where it has its
// common letters, and which of them come first by far.
type asian struct {
	name     string
	rarity   float64
	from, to byte // of the first byte, in the encoding core
	core     string
	kana     float64 // the share of kana
	first    string
}

func asians() []asian {
	const kanji = "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨市区町村県都府道京阪神社会株式店部品売数量価格番号住所氏顧客商注文料税込合計単位在庫田藤佐井野原松林森石橋谷岡島崎村木山本渡辺加清斎和池内青新古吉平安正明美真智恵由香直樹健太郎介幸子代世界発表場問題業員者立自手力目分動作地方事物度化性体的関機定理現実全用通法政治経済主義第回期週曜"
	const simplified = "的一是不了在有人我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏销售额客户期产数股份限省县镇街路州沈杭津沪渝川陈刘杨赵吴孙朱胡郭何林罗郑梁谢宋唐韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶苏魏吕丁任卢姚姜崔钟谭陆汪范廖贾夏韦付方白邹孟熊秦邱阎薛侯雷龙段郝孔邵史毛常万顾赖武康贺严尹钱施洪龚"
	const traditional = "的一是不了在有人我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員九笑性通目華報立馬命張活難神數件安表原車白應路期叫死常提感金何更反合放做系計或司利受光王果親界及今京務制解各任至清物台象記邊共風戰接許八特覺望直服毛林題建南度統色字請交愛讓認算論百義科怎元社術結六功指思非流每青管夫連遠資隊帶花快條院變聯言權往展該領傳近留紅治決周保達辦運武半候七必城父強步完革深區求品士轉量空眾技輕程告江語英基派滿式李息寫識極令黃德收錢黨未持取設始版雙歷越史商千片容研像找友孩站廣改議形委早房音火際則首單據導影失網香斯專石若兵弟誰校讀志飛觀爭究包組造落視濟喜離銷售額客戶期份限縣鄉鎮街路州號樓巷弄段灣灣雄陳劉楊趙吳孫朱胡郭何羅鄭梁謝宋唐韓馮鄧曹彭曾蕭田董袁潘蔣蔡余杜葉蘇魏呂丁盧姚姜崔鐘譚陸汪范廖賈夏韋方白鄒孟熊秦邱淑雅怡婷雯君玉惠珮詩宜佳慧欣豪宏志偉俊傑冠廷家瑋承宗翰"
	const hangul = "이다는에의을를가고하은지사로도기시나인어자대한리아서수정해라일그있것들장전부여원스제공과상만주성구조화면소보동물국경학생마비오신우관심말적무미선유세계방안바트실연간요음중모용치발분거금당문개위회진행체드았었습니합입게할때같지며없더내야려출식산업품량매액객명소호번날짜월년도시군읍면동길김박최강윤임한오서신권황송류홍영준민현재석철호순옥희숙경은혜윤빈서윤지훈예린수빈건우도현청충북남북울부광천중계코프라르타크카메베포브랜탄니키리즈"
	return []asian{
		{"shift_jis", -0.5, 0xb0, 0xcf, "euc-jp", 0.35, kanji},
		{"euc-jp", -1.5, 0xb0, 0xcf, "euc-jp", 0.35, kanji},
		{"gb18030", -0.5, 0xb0, 0xd7, "gb18030", 0, simplified},
		{"big5", -0.5, 0xa4, 0xc6, "big5", 0, traditional},
		{"euc-kr", -0.5, 0xb0, 0xc8, "euc-kr", 0, hangul},
	}
}

// characters returns how likely the common characters of the encoding are.
func (a asian) characters() map[rune]float64 {
	once, _ := characters.LoadOrStore(a.name, sync.OnceValue(func() map[rune]float64 {
		all := map[rune]float64{}
		var core []byte
		for lead := int(a.from); lead <= int(a.to); lead++ {
			for trail := 0x40; trail < 0xff; trail++ {
				if trail >= 0xa1 || trail < 0x7f && a.core == "big5" {
					core = append(core, byte(lead), byte(trail))
				}
			}
		}
		level := []rune(decodeAll(core, a.core))
		for _, r := range level {
			all[r] = 0.2 / float64(len(level))
		}
		sum, first := 0.0, []rune(a.first)
		for i := range first {
			sum += 1 / float64(i+60)
		}
		for i, r := range first {
			all[r] += (0.7 - a.kana) / float64(i+60) / sum
		}
		for r := rune(0x3041); r < 0x30ff && a.kana > 0; r++ {
			all[r] = a.kana / 170
		}
		for _, r := range "、。ー・（）「」：，　／～" {
			all[r] += 0.002
		}
		delete(all, utf8.RuneError)
		return all
	}))
	return once.(func() map[rune]float64)()
}

var characters sync.Map //nolint:gochecknoglobals // filled once for each encoding

// fits returns the logarithm of how likely the lines are in the encoding, beyond what is
// ASCII.
func (a asian) fits(lines []byte) float64 {
	common, total := a.characters(), 0.0
	seen := map[string]bool{}
	for i := 0; i < len(lines); {
		// A byte below 0x30 is never a part of a letter.
		end, high := i, false
		for end < len(lines) && lines[end] >= 0x30 {
			high = high || lines[end] >= 0x80
			end++
		}
		if unit := lines[i:end]; high && !seen[string(unit)] {
			seen[string(unit)] = true
			prev := ' '
			for _, r := range decodeAll(unit, a.name) {
				total += likelihood(common, r)
				if mixed := min(prev, r); mixed < 0x80 && isLetter(byte(mixed)) && max(prev, r) >= 0x80 {
					total += misplace
				}
				prev = r
			}
		}
		i = end + 1
	}
	return total
}

// likelihood is the logarithm of how likely a character is.
func likelihood(common map[rune]float64, r rune) float64 {
	switch {
	case r < 0x80:
		return 0
	case r == utf8.RuneError, unicode.Is(unicode.Co, r), unicode.IsControl(r):
		return 2 * never
	case common[r] > 0:
		return math.Log(common[r])
	case r >= 0xff61 && r < 0xffa0: // kana of one byte
		return -7
	case unicode.In(r, unicode.Han, unicode.Hangul):
		return -13
	case unicode.In(r, unicode.Katakana, unicode.Hiragana), r >= 0xff00 && r < 0xff5f:
		return -9
	}
	return -12
}
