package search

import (
	"strings"
	"sync"
)

// shortened are words with how they are abbreviated in names of tables and columns.
const shortened = `account:acct,acc,accnt
address:addr,adr
administrator:admin
airport:arpt
amount:amt
application:app
approximate:approx
attribute:attr
authorization:auth
average:avg
balance:bal
birth:dob,birthdate
building:bldg
business:biz
calendar:cal
category:cat,ctg,catg
character:chr
city:cty
code:cd
column:col
comment:cmt
company:co,comp
configuration:config,cfg,conf
contract:contr
coordinate:coord
country:ctry,cntry
currency:curr,ccy
customer:cust,cstmr,cus
date:dt,dte
department:dept,dep
description:desc,descr,dscr
destination:dest
detail:dtl,det
difference:diff
discount:disc
distance:dist
document:doc
duration:dur
employee:emp,empl
error:err
estimate:est
exchange:exch
expiration:exp,expiry
extension:ext
first:fst
frequency:freq
general:gen
gender:sex
group:grp
height:ht
history:hist
household:hh
identifier:id,ident,ids
image:img
income:inc
information:info
inventory:inv
invoice:inv,invc
item:itm
language:lang
latitude:lat
length:len
level:lvl
line:ln
location:loc
longitude:lon,lng,long
manager:mgr
manufacturer:mfr,manuf,mfg
maximum:max
measurement:meas
medical:med
message:msg
middle:mid
minimum:min
minute:min
month:mon,mth,mo
name:nm,nme
number:num,nbr,nr,no,nmbr
order:ord
organization:org,organisation
original:orig
package:pkg
parameter:param
password:pwd,passwd,pw
payment:pmt,pymt,pay
percent:pct,perc,percentage
period:prd
person:pers
phone:tel,ph,telephone
picture:pic
point:pt,pts
position:pos
postal:zip
previous:prev
price:prc
priority:prio
product:prod,prd
profile:prof
project:proj
promotion:promo
province:prov
purchase:po,purch
quantity:qty,qnty,quant
quarter:qtr
rating:rtg
reference:ref
region:reg,rgn
registration:reg
relation:rel
requirement:req
reservation:resv
revenue:rev
salary:sal
salesperson:salesrep
second:sec
sequence:seq
service:svc,srv
shipment:shpmt,ship
source:src
specification:spec
standard:std
statistic:stat,stats
status:stat,sts
street:str
student:stu
subscription:sub,subscr
supplier:supp
surname:lname,lastname
target:tgt
technology:tech
temperature:temp
time:tm,ts,timestamp
total:tot,ttl
transaction:txn,trans,trx,tran
type:typ
university:univ
user:usr
value:val
vendor:vend,vndr
version:ver
volume:vol
warehouse:whse,wh
week:wk
weight:wt,wgt
year:yr,yy`

// alike are groups of words that questions use for what names call otherwise.
const alike = `customer client buyer consumer shopper guest
product item article goods merchandise
employee staff worker personnel salesperson
person people individual human man woman
supplier vendor provider
order purchase buy bought
sale sell sold revenue turnover
price cost fee fare charge rate expensive cheap cheapest
amount money value paid sum
pay payment paid
salary wage pay earn earning income
quantity units pieces stock
film movie title
song track music
singer artist musician band performer
writer author wrote written
book publication title
company firm business manufacturer maker enterprise organization
country nation nationality
city town place municipality
state province region
street address live lives located
zip postal postcode zipcode
phone telephone mobile
email mail
birth born birthday birthdate birthplace
die died death dead
date day when
year annual yearly
month monthly
old age older oldest young younger youngest
name called title named
hire hired start joined
leave left end
job occupation profession position role
boss manager supervisor head
department division unit
school college university institution
student pupil
teacher instructor professor faculty lecturer
course class subject
grade mark score
flight plane aircraft airplane airline
airport departure origin
arrive arrival destination
depart departure leave
late delay delayed
car vehicle automobile auto
horsepower power
hotel room lodging
doctor physician
patient sick
illness disease diagnosis
medicine drug medication
match game
win won winner victory wins
lose lost loser losses defeat
player athlete
team club squad
stadium venue arena
capacity seats size
long length longest longer duration
tall height high highest taller
heavy weight heaviest
large big size area largest biggest
population inhabitants residents
ship vessel boat
ticket issue
bug defect issue
repository project repo
member membership
friend friendship
rent rental lend borrow
store shop branch outlet
return returned refund
discount reduction rebate
tax vat
bank lender
loan credit debt
language speak spoken
religion faith
picture image photo
comment remark note
review rating opinion
post article message
website site url web link homepage
visit visitor
event meeting
begin start
finish end close closed complete completed
create created add added opened
change update updated modified
cancel cancelled canceled
ship shipped shipping shipment delivery delivered
weather temperature climate
rain precipitation
own owner owned belong
gender sex male female
marriage married spouse wife husband
child children kid son daughter
degree diploma program
invoice bill billing
fast speed fastest
open opening
show exhibition exhibit
category kind type genre class
state status condition
area field domain
describe description`

// asIs begins a word that has no other forms: lat is latitude, late is not.
const asIs = "="

// likes are for a stem the stems of words that stand for it, with what they are worth.
var likes = sync.OnceValue(func() map[string]map[string]int {
	all := map[string]map[string]int{}
	add := func(a, b string, worth int) {
		if all[a] == nil {
			all[a] = map[string]int{}
		}
		if a != b {
			all[a][b] = max(all[a][b], worth)
		}
	}
	for line := range strings.Lines(shortened) {
		word, short, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, s := range strings.Split(short, ",") {
			add(stem(word), asIs+s, abbreviated)
			add(asIs+s, stem(word), abbreviated)
		}
	}
	for line := range strings.Lines(alike) {
		words := strings.Fields(line)
		for i, a := range words {
			for j, b := range words {
				if i != j {
					add(stem(a), stem(b), meant)
				}
			}
		}
	}
	return all
})
