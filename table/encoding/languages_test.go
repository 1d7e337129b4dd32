package encoding

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// sentences are none of the words that the models are made of.
func sentences() map[string]string {
	return map[string]string{
		"cs":      "Včera večer přišel náš soused a přinesl plný košík čerstvých hřibů z lesa nad řekou děti běhaly kolem stolu křičely a smály se",
		"sk":      "Včera večer prišiel náš sused a priniesol plný kôš čerstvých hríbov z lesa deti behali okolo stola kričali a smiali sa vŕzgajúce dvere",
		"pl":      "Wczoraj wieczorem przyszła sąsiadka i przyniosła pełny koszyk świeżych grzybów dzieci biegały dookoła stołu głośno śmiejąc się i krzycząc",
		"hu":      "Tegnap este átjött a szomszéd és hozott egy kosár frissen szedett gombát a gyerekek körbe-körbe szaladgáltak az asztal körül és nevettek örömükben bűvös tükörtojás",
		"hr":      "Jučer navečer došla je susjeda i donijela punu košaru svježih šišarki djeca su trčala oko stola vrištala i smijala se čak su i mačke bježale sa žutog jastuka",
		"sl":      "Včeraj zvečer je prišla soseda in prinesla polno košaro svežih češenj otroci so tekali okoli mize vreščali in žvižgali čez dvorišče",
		"ro":      "Aseară a venit vecina și a adus un coș plin cu ciuperci proaspete copiii alergau în jurul mesei țipând și râzând fără încetare până noaptea târziu",
		"de":      "Gestern brachte unsere Nachbarin einen Korb frischer Äpfel über den Zaun die Kinder spielten draußen bis spät und süße Düfte zogen durch das geöffnete Küchenfenster böse Wölfe",
		"fr":      "Hier soir notre voisine a apporté un panier de pêches mûres les enfants couraient autour de la table et riaient malgré la fenêtre fermée le goût âpre du raisin était caché ça et là",
		"es":      "Ayer llegó la señora de arriba con una cesta de castañas los niños corrían detrás de la mesa y reían aún sonaba música en el salón jamás volvió el pequeño gorrión",
		"pt":      "Ontem chegou a vizinha com uma cesta de maçãs e limões as crianças corriam à volta da mesa e ninguém dormiu até amanhã porque os cães ladravam sem razão",
		"sv":      "Igår kväll kom grannen över med en korg färska bär barnen sprang runt bordet och skrattade högt medan hunden låg och sov på soffan under fönstret",
		"da":      "I går aftes kom naboen over med en kurv friske bær børnene løb rundt om bordet og lo højt mens hunden lå og sov på sofaen æøå",
		"fi":      "Eilen illalla naapuri tuli käymään ja toi korillisen tuoreita mustikoita lapset hyörivät pöydän ympärillä ja nauroivat ääneen vaikka yö oli jo pitkällä",
		"tr":      "Dün akşam komşumuz bize taze incir dolu bir sepet getirdi çocuklar masanın etrafında koşuşup gülüştüler köpek ise pencerenin altında sığınacak bir köşe aradı",
		"lt":      "Vakar vakare užsuko kaimynė ir atnešė pilną krepšį šviežių grybų vaikai lakstė aplink stalą ir garsiai juokėsi o šuo miegojo po langu ištisą dieną",
		"lv":      "Vakar vakarā ienāca kaimiņiene un atnesa pilnu grozu svaigu sēņu bērni skraidīja apkārt galdam un skaļi smējās bet suns gulēja zem loga līdz rītam",
		"vi":      "Tối hôm qua bà hàng xóm mang sang một giỏ nấm tươi bọn trẻ chạy quanh bàn và cười rất to còn con chó nằm ngủ dưới cửa sổ",
		"ru":      "Вчера вечером зашла соседка и принесла полную корзину свежих грибов дети бегали вокруг стола и громко смеялись а собака спала под окном Ещё ёлка",
		"uk":      "Учора ввечері зайшла сусідка й принесла повний кошик свіжих грибів діти бігали навколо столу і голосно сміялися а собака спав під вікном її ґанок є",
		"bg":      "Снощи дойде съседката и донесе пълна кошница пресни гъби децата тичаха около масата и се смееха силно а кучето спеше под прозореца",
		"el":      "Χθες το βράδυ ήρθε η γειτόνισσα και έφερε ένα καλάθι φρέσκα μανιτάρια τα παιδιά έτρεχαν γύρω από το τραπέζι Άλλοι γελούσαν δυνατά Όμως ο σκύλος κοιμόταν",
		"he":      "אתמול בערב באה השכנה והביאה סל מלא פטריות טריות הילדים רצו סביב השולחן וצחקו בקול רם והכלב ישן מתחת לחלון",
		"ar":      "مساء أمس جاءت جارتنا وأحضرت سلة مليئة بالفطر الطازج ركض الأطفال حول المائدة وضحكوا بصوت عال بينما نام الكلب تحت النافذة",
		"th":      "เมื่อวานตอนเย็นเพื่อนบ้านมาหา และนำเห็ดสดมาเต็มตะกร้า เด็กๆวิ่งรอบโต๊ะ หัวเราะเสียงดัง ส่วนสุนัขนอนหลับอยู่ ใต้หน้าต่าง",
		"ja":      "昨日の夕方 隣の人が 新鮮なきのこを 持ってきた 子供たちは テーブルの周りを 走って 大声で笑い 犬は窓の下で 眠っていた",
		"zh":      "昨天晚上 邻居来了 带来一篮新鲜蘑菇 孩子们围着桌子跑 大声地笑 狗在窗下睡觉 直到天亮才醒",
		"zh-Hant": "昨天晚上 鄰居來了 帶來一籃新鮮蘑菇 孩子們圍著桌子跑 大聲地笑 狗在窗下睡覺 直到天亮才醒",
		"ko":      "우리는 아침에 밥을 먹고 학교까지 걸었다 하늘은 맑았으며 바람도 선선했지만 저녁에는 비가 내렸다 강아지와 고양이는 창가에서 잠들었다",
	}
}

// johab is the Korean of sentences in an encoding that cannot be decoded here.
const johab = "\xb6\x81\x9f\xa1\x93e \xb4a\xc3\xb1\xb5A \xa4s\xb7i \xa0\xe2\x89\xa1 \xd0b\x8aa\x8ca\xbb\xa1 \x88\xe9\xb4\xf6\x94a \xd0a\x93i\xb7e \xa0j\xb4v\xb7a\xa1a \xa4a\x9cq\x95\xa1 \xac\xe5\xac\xe5\xd0\x96\xbb\xa1\xa0e \xb8\xe1\x91b\xb5A\x93e \xa7\xa1\x88a \x90\x81\x9dv\x94a \x88w\xb4a\xbb\xa1\xb5\xc1 \x89\xa1\xb4\xb7\xb7\xa1\x93e \xc0w\x88a\xb5A\xac\xe1 \xb8q\x97i\xb4\xf6\x94a"

// TestLanguages writes tables of 8 and 80 rows in 49 pairs of a language and an
// encoding. Nearly all are read right, and none is read wrongly without a word.
func TestLanguages(t *testing.T) {
	right, wrong := 0, 0
	pairs := strings.Fields(`cs windows-1250 cs iso-8859-2 cs cp852 pl x-mac-ce sk windows-1250 hu iso-8859-2 hr windows-1250
		sl cp852 ro iso-8859-16 de windows-1252 de cp437 de macintosh fr windows-1252 fr iso-8859-15 es cp850 pt windows-1252
		sv cp850 da windows-1252 fi iso-8859-15 tr windows-1254 tr iso-8859-9 tr cp857 lt windows-1257 lv iso-8859-13
		vi windows-1258 ru windows-1251 ru koi8-r ru cp866 bg iso-8859-5 uk koi8-u el windows-1253 el iso-8859-7 el cp737 el x-mac-greek tr x-mac-turkish
		he windows-1255 he iso-8859-8 he cp862 ar windows-1256 ar iso-8859-6 th windows-874 ja shift_jis ja euc-jp
		ja iso-2022-jp zh gb18030 zh hz-gb-2312 zh-Hant big5 ko euc-kr ko johab`)
	for i := 0; i < len(pairs); i += 2 {
		for _, rows := range []int{8, 80} {
			data, text := written(t, pairs[i], pairs[i+1], rows)
			s, _ := Read(bytes.NewReader(data))
			switch got := s.Detect(); {
			case decodeAll(data, got.Name) == text:
				right++
			case got.Confidence < LowConfidence:
				wrong++
				t.Logf("%s in %s, %d rows: taken for %s (%.2f)", pairs[i], pairs[i+1], rows, got.Name, got.Confidence)
			default:
				t.Errorf("%s in %s, %d rows: taken for %s without a word (%.2f)", pairs[i], pairs[i+1], rows, got.Name, got.Confidence)
			}
		}
	}
	t.Logf("%d right, %d said", right, wrong)
	if right*80 < (right+wrong)*76 {
		t.Errorf("only %d of %d tables are read right", right, right+wrong)
	}
}

// written is a table of sentences in an encoding, and what it should be read as.
func written(t *testing.T, lang, name string, rows int) (data []byte, text string) {
	words := strings.Fields(sentences()[lang])
	if name == "johab" {
		words = strings.Fields(johab)
	}
	if lang == "vi" {
		words = strings.Fields(tonesApart(strings.Join(words, " ")))
	}
	var b strings.Builder
	b.WriteString("id,name,amount,note\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%s,%d.%02d,%s\n", i+1, words[2*i%len(words)], i*37%911, i*13%100, words[(2*i+1)%len(words)])
	}
	if name == "johab" {
		return []byte(b.String()), ""
	}
	data, err := lookup(name).NewEncoder().Bytes([]byte(b.String()))
	if err != nil {
		t.Fatalf("%s in %s: %v", lang, name, err)
	}
	return data, b.String()
}
