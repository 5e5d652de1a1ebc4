/**
 * Finds credentials. In logged configurations, changes of stages, extra fields, scores and events of a sample they are
 * masked before anything is stored; in texts, where a pack is written and, on request, where the page shows them.
 * Libraries and packs are copied, shown and published.
 *
 * A credential is recognized by its key (`wandb_api_key`), by its own form (`sk-…`, a PEM block, a URL with a
 * password), or by the name before it in a text (`--api-key X`, `HF_TOKEN=X`). Only strings are masked.
 * Numbers are kept, and ids that are no part of a credential.
 */
import { parseJson } from './parseJson.ts';

const MASK = '••••••';

const wordSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Words at the end of a key that name a credential by themselves. */
const CREDENTIAL_WORDS = wordSet(`
  password passwords passwd pass pwd pw passphrase passcode secret secrets token bearer jwt pat auth authorization
  cookie cookies credential credentials creds apikey apikeys authkey sessionid phpsessid jsessionid sas kubeconfig`);
/** Names of services, before or after `key`. */
const SERVICES = wordSet(`
  anthropic ark aws azure bing brave cohere comet dashscope databricks deepseek dingtalk e2b feishu fireworks gcp gemini
  github gitlab google groq hf huggingface jina kaggle langfuse langsmith lark minimax mistral moonshot neptune
  ngc nvidia openai openrouter qianfan replicate serper siliconflow slack swanlab tavily together volc wandb wecom xai
  zhipu`);
/** Words before `key`, `keys` or `tokens`. Without one, these mean a dictionary's key or a number of tokens. */
const OWNERS = wordSet(`
  account api access auth bearer bot client deploy encryption license master oauth private refresh
  secret hmac service sftp signing ssh ssl storage subscription tls webhook`);
/** After these words, `key` may mean a dictionary's key. The value decides. */
const POSSIBLE_OWNERS = wordSet(
  'endpoint id judge sandbox session server llm vllm sglang model reward rm user',
);
/** Words after a credential's name that say which of several it is. */
const KINDS = wordSet('prod production dev staging backup old new read write ro rw primary secondary');
/** Words after a credential's name that only describe its form. They are ignored. */
const FORMS = wordSet('value values header headers string text list env data pem v hash');
/** Names that are written as one word. */
const JOINED =
  /^(?:(?:access|auth|refresh|id|bearer)token|(?:secret|ssh|private|access|app)keys?|clientsecret|(?:db|pg|my|root|user)(?:pass|password|pwd))$/;
/** Words before `token` with which it means a vocabulary entry or a position rather than a credential. */
const VOCABULARY = wordSet(`
  num max min total n eos bos pad unk cls sep mask stop end start next first last special image think
  per each text audio video prefix suffix top sampled target vocab added extra tool call reasoning
  answer control new reward response prompt output input step draft eot eom thinking
  thought generated predicted accepted rejected yes no verdict boxed newline label choice option
  good bad plus minus positive negative tag score wait continue delimiter split separator nl placeholder
  prm forcing reflection ignore entropy pivot judge`);
/** Before `pass`, these words mean a run over data. */
const RUNS_OVER_DATA = wordSet(
  'forward backward first second third last single one two multi num n per each eval',
);
/** Keys beside `token` in a list of log-probabilities. */
const OF_VOCABULARY = ['logprob', 'logprobs', 'top_logprobs', 'prob', 'entropy', 'rank', 'token_id'];

const isOwner = (word: string): boolean => OWNERS.has(word) || SERVICES.has(word);
const isPossibleOwner = (word: string): boolean => isOwner(word) || POSSIBLE_OWNERS.has(word);

/** Whether a value under this key is a credential. */
export function isCredentialKey(key: string): boolean {
  const words = wordsOf(key);
  if (/(?:connection string|seed phrase|otp seed)$/.test(words.join(' '))) return true;
  // A share of problems: `pass@8`
  if (/\bpass@\d+$/.test(key)) return false;
  while (words.length > 1 && (FORMS.has(words.at(-1) ?? '') || KINDS.has(words.at(-1) ?? ''))) words.pop();
  // API_KEY_JUDGE
  if (/\bapi ?key$/.test(words.slice(-3, -1).join(' ')) && isPossibleOwner(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (last === 'token') return !VOCABULARY.has(before);
  if (last === 'key' || last === 'keys' || last === 'tokens' || last === 'tok') return isOwner(before);
  if (last === 'pass') return !RUNS_OVER_DATA.has(before);
  // The address holds the credential.
  if (last === 'url') return before === 'sas' || before === 'webhook';
  // AWS_ACCESS_KEY_ID. The ids of other keys are no secrets.
  if (last === 'id') return before === 'key' && words.at(-3) === 'access';
  return CREDENTIAL_WORDS.has(last) || JOINED.test(last);
}

/**
 * Whether a value under this key is a credential if it looks like a generated one.
 *
 * @param parent the key above, as in `openai: { key: … }`
 */
function isPossibleKey(key: string, parent: string): boolean {
  const words = wordsOf(key);
  const last = words.at(-1) ?? '';
  const above = wordsOf(parent).at(-1) ?? '';
  const owner = words.at(-2) ?? above;
  if (last === 'ak' || last === 'sk' || (last === 'id' && owner === 'secret')) return true;
  if (last === 'key' || last === 'keys') return isPossibleOwner(owner);
  // TOKEN_HF, `keys: { openai: … }`, and `use_wandb` of OpenRLHF
  return SERVICES.has(last) && /^(?:keys?|tokens?|use)$/.test(owner);
}

/** The words of a key in lower case, without numbers at its end: `apiKey2` is `api`, `key`. */
function wordsOf(key: string): string[] {
  return key
    .slice(-LONGEST_KEY)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[\s_\-.]*\d+$/, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

const LONGEST_KEY = 200;

/** Tokens that begin with their issuer. One expression finds them three times as fast as one for each. */
const PREFIXED: readonly RegExp[] = [
  // OpenAI, Anthropic, DeepSeek, Langfuse; Stripe
  /sk-(?!learn-|image-)(?=[A-Za-z_-]{0,100}\d|[A-Za-z0-9]{32})[A-Za-z0-9_-]{16,9999}/,
  /[sr]k_(?:live|test)_[A-Za-z0-9]{16,9999}/,
  // ElevenLabs
  /sk_[0-9a-f]{40,9999}/,
  /whsec_[A-Za-z0-9+/]{20,9999}/,
  // GitHub, GitLab, Bitbucket, Atlassian, Linear
  /gh[pousr]_[A-Za-z0-9]{20,9999}/,
  /github_pat_\w{20,9999}/,
  /gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent)-[\w-]{16,9999}/,
  /GR1348941[\w-]{20,9999}/,
  /ATBB[A-Za-z0-9]{28,9999}/,
  /ATATT[\w=-]{20,9999}/,
  /lin_api_[A-Za-z0-9]{30,9999}/,
  // Hugging Face, Kaggle, npm, PyPI, Docker
  /(?:hf|api_org)_[A-Za-z0-9]{20,9999}/,
  /KGAT_[0-9a-f]{32}/,
  /npm_[A-Za-z0-9]{30,9999}/,
  /pypi-[\w-]{40,9999}/,
  /dckr_pat_[\w-]{20,9999}/,
  // Google, Databricks, Slack and Discord
  /ya29\.[\w-]{20,9999}/,
  /1\/\/0[\w-]{30,9999}/,
  /GOCSPX-[\w-]{20,9999}/,
  /AQ\.[A-Za-z0-9][\w-]{40,9999}/,
  /dapi[0-9a-f]{32}\b/,
  /xox[abeoprs]-[\w-]{10,9999}/,
  /xapp-\d[\w-]{10,9999}/,
  /[MNO][A-Za-z\d]{23,28}\.[\w-]{6}\.[\w-]{27,40}/,
  // NVIDIA, Groq, Replicate, xAI, Perplexity, Cerebras, Fireworks, Jina, Firecrawl, Pinecone
  /nvapi-[\w-]{20,9999}/,
  /gsk_[A-Za-z0-9]{20,9999}/,
  /r8_[A-Za-z0-9]{30,9999}/,
  /xai-[A-Za-z0-9]{20,9999}/,
  /pplx-[A-Za-z0-9]{20,9999}/,
  /csk-[a-z0-9]{40,9999}/,
  /fw_[A-Za-z0-9]{22,9999}/,
  /jina_[\w-]{50,9999}/,
  /fc-[0-9a-f]{32}/,
  /pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{30,9999}/,
  // Tavily, LangSmith, E2B, Weights & Biases, Together, Modal, RunPod
  /tvly-[\w-]{16,9999}/,
  /lsv2_(?:pt|sk)_[0-9a-f_]{20,9999}/,
  /e2b_[0-9a-f]{30,9999}/,
  /wandb_v1_\w{20,9999}/,
  /tgp_v1_[\w-]{20,9999}/,
  /a[ks]-[A-Za-z0-9]{22}\b/,
  /rpa_[A-Za-z0-9]{30,9999}/,
  // Voyage AI
  /pa-[A-Za-z0-9_-]{43}\b/,
  // Hosting: DigitalOcean, Heroku, Fly, Netlify, Supabase, PlanetScale, Vault, Pulumi, Tailscale, Doppler
  /do[opr]_v1_[0-9a-f]{60,9999}/,
  /HRKU-[\w-]{20,9999}/,
  /fm[12]_[\w+/=-]{20,9999}/,
  /nfp_[A-Za-z0-9]{30,9999}/,
  /sb_secret_[\w-]{20,9999}/,
  /sbp_[0-9a-f]{40}/,
  /pscale_(?:tkn|pw|oauth)_[\w-]{20,9999}/,
  /hv[sb]\.[\w-]{20,9999}/,
  /pul-[0-9a-f]{40}/,
  /tskey-[a-z]{1,20}-[\w-]{16,9999}/,
  /dp\.(?:st|pt|ct|sa)\.[\w.]{30,9999}/,
  // Others: Grafana, Sentry, New Relic, Notion, Figma, Postman, Airtable, Dropbox, Shopify, Square, Mailgun, Twilio
  /glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}/,
  /sntry[su]_[\w+/=-]{30,9999}/,
  /NRAK-[A-Z0-9]{20,9999}/,
  /ntn_[A-Za-z0-9]{40,9999}/,
  /secret_[A-Za-z0-9]{43}\b/,
  /figd_[\w-]{30,9999}/,
  /PMAK-[0-9a-f]{20,9999}[0-9a-f-]{0,9999}/,
  /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/,
  /sl\.[\w-]{60,9999}/,
  /shp(?:at|ca|pa|ss)_[0-9a-f]{32}/,
  /sq0(?:atp|csp)-[\w-]{20,9999}/,
  /key-[0-9a-f]{32}\b/,
  /SK[0-9a-f]{32}\b/,
  // age, and OpenSSH without the lines around it
  /AGE-SECRET-KEY-1[0-9A-Z]{30,9999}/,
  /b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{20,9999}(?:\n[A-Za-z0-9+/=]{30,100}){0,200}/,
];

/**
 * Forms of credentials in a text. The group `keep`, if present, is not masked: it only shows that the rest is a
 * credential. Every form is linear in the text, and every repetition is bounded, because V8 throws a RangeError
 * after some million repetitions.
 */
const FORMS_IN_TEXT: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,9999}(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?/g,
  new RegExp(String.raw`\b(?:${PREFIXED.map(({ source }) => source).join('|')})`, 'g'),
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  // Azure, Terraform, SendGrid, Telegram; webhooks of Slack, Teams, Discord, Feishu, Zapier and WeCom
  /(?<keep>\b(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{20,9999}={0,2}/g,
  /(?<keep>\w8Q~)[\w~.-]{31,34}/g,
  /(?<keep>\.atlasv1\.)[\w-]{40,9999}/g,
  /\bSG\.[\w-]{16,9999}\.[\w-]{16,9999}/g,
  /(?<keep>:)(?<=(?<!\d)\d{8,10}:)AA[\w-]{32,9999}/g,
  /(?<keep>https:\/\/(?:hooks\.slack\.com\/(?:services|triggers|workflows)|[\w-]{1,60}\.webhook\.office\.com\/webhookb2|discord(?:app)?\.com\/api\/webhooks\/\d{10,20}|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook|hooks\.zapier\.com\/hooks\/catch)\/|\bqyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=)[\w/@-]{16,9999}/g,
  // A JSON Web Token, signed or encrypted. Its first part ends where another may begin, so that no part is read twice.
  /\beyJ(?:(?!-eyJ)[\w-]){8,4000}\.(?:eyJ[\w-]{8,9999}\.[\w-]{8,9999}|[\w-]{0,9999}\.[\w-]{16,22}\.[\w-]{8,9999}\.[\w-]{20,24})/g,
  /(?<keep>\b[Bb]earer\s{1,4})(?=[A-Za-z._~+/-]{0,100}\d|\S{24})[\w.~+/-]{8,9999}={0,2}/g,
  /(?<keep>\bAuthorization["']?\s{0,4}[:=,]\s{0,4}["']?(?:Basic|Token|Digest)\s{1,4})[^\s"',;]{6,9999}/gi,
  /(?<keep>\bcookie:\s{1,4})(?=[^\s=;]{1,100}=)[^\n"']{6,9999}/gi,
  // Commands, and the file that curl and W&B read
  /(?<keep>\bcurl [^\n|;]{0,300}?(?<=\s)(?:-u ?|-U ?|--user[ =]|--proxy-user[ =])["']?[^\s:"']{1,100}:)[^\s"']{3,300}/g,
  /(?<keep>\bsshpass\s{1,4}-p\s{0,2}["']?)[^\s"']{3,300}/g,
  /(?<keep>\bmysql(?:dump|admin)? [^\n|;]{0,200}?-p)[^\s"'-][^\s"']{3,300}/g,
  /(?<keep>\bdocker login [^\n|;]{0,200}?(?:-p|--password)[ =]["']?)[^\s"'-][^\s"']{3,300}/g,
  /(?<keep>\buse_wandb["']?(?:[\s:=,]|\\{1,7}"){1,4}["']?)[0-9a-f]{40}\b/g,
  /(?<keep>\bwandb(?: login |\.login\()[^\n|;]{0,100}?)\b[0-9a-f]{40,100}\b/g,
  /(?<keep>\bredis-cli [^\n|;]{0,200}?(?:-a|--pass)[ =]["']?)[^\s"'-][^\s"']{7,300}/g,
  /(?<keep>\bsqlcmd [^\n|;]{0,200}?-P\s{0,2}["']?)[^\s"'-][^\s"']{7,300}/g,
  /(?<keep>\bvault login (?:-[\w=-]{1,60} ){0,5}(?:token=)?)[\w.-]{16,300}/g,
  /(?<keep>\bngrok (?:config add-authtoken|authtoken) )[\w-]{16,300}/g,
  /(?<keep>\blogin\s{1,9}\S{1,200}\s{1,9}password\s{1,9})[^\s"'\\]{4,300}/g,
  /(?<keep>-(?:storepass|keypass|pass(?:in|out)? pass:)\s{0,4}["']?)(?=[^\s"']{0,100}\d)[^\s"'-][^\s"']{3,300}/g,
  /(?<keep>\b(?:(?:un)?zip [^\n|;]{0,200}?(?<=\s)-P\s{0,2}|(?:7z[az]?|unrar) [^\n|;]{0,200}?(?<=[\s"'])-p|mongo(?:sh)? [^\n|;]{0,200}?(?<=\s)-p\s{0,2}|swanlab login [^\n|;]{0,100}?-k |az login [^\n|;]{0,200}?(?:-p|--password)[ =])["']?)(?=[^\s"']{0,100}\d)[^\s"'$-][^\s"']{3,300}/g,
  /(?<keep>\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'])(?!\$)[^"'\n]{3,300}/g,
  // SQL
  /(?<keep>\b(?:IDENTIFIED (?:WITH \w{1,60} )?BY|(?:ROLE|USER) [^\n;]{1,200} PASSWORD|SET PASSWORD [^\n;=]{1,200}=)\s{1,4}')(?!<)[^'\n]{3,300}/gi,
  /(?<keep>\becho\s{1,4}["']?(?:[\w-]{1,60}:(?=\S{1,300}\s{1,4}\|\s{0,4}(?:sudo )?chpasswd)|(?=\S{1,300}\s{1,4}\|\s{0,4}sudo -S)))(?!\$)[^\s"'|]{3,300}/g,
  /(?<keep>\bBasic\s{1,4})(?=[A-Za-z+/]{0,100}\d)(?=[a-z0-9+/]{0,100}[A-Z])(?:[A-Za-z0-9+/]{4}){3,2499}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})(?![\w+/=-])/g,
  // A user and a password in a call
  /(?<keep>(?:\bauth\s{0,4}=\s{0,4}\(|\bHTTP(?:Basic|Digest)Auth\(|\.login\()\s{0,4}["'][^"'\n]{1,100}["'],\s{0,4}["'])(?=[^"'\s]{0,100}\d)[^"'\s]{3,300}(?=["'])/g,
  // A URL with a password, or with a token instead of a user
  /(?<keep>:\/\/[^\s/:@'"]{0,100}:)[^\s/'"]{1,300}(?=@)/g,
  /(?<keep>\bhttps?:\/\/)[\w-]{20,9999}(?=@)/g,
  // A presigned URL, or one with a token
  /(?<keep>[?&#](?:X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token|X-Goog-Signature|AWSAccessKeyId|Signature|sig(?==[^&\s"'#]{0,300}[\d%])|(?:access_?|auth_?|id_?|refresh_?)?token|api_?key|password|secret)=)[^&\s"'#]{6,9999}/gi,
];

/** The form that `env` prints. */
const ENVIRONMENT: RegExp =
  /(?<keep>(?:^[ \t]{0,40}|(?<=["']))(?:export |set )?(?<name>[A-Z][A-Z0-9_]{1,60})=\$?["']?)(?<secret>[^\s"']{6,9999})(?=["']|[ \t]{0,4}$)/gm;
/** A name and the value assigned to it. `isCredentialKey` decides whether the name is a credential's. */
const ASSIGNED: readonly RegExp[] = [
  ENVIRONMENT,
  /(?<=(?<name>[A-Za-z][\w.-]{1,60}))(?<keep>=["']?)(?<secret>[^\s"'&;]{4,9999})/g,
  // `--env=NAME=value`, `--export=ALL,NAME=value`
  /(?<=[=,](?<name>[A-Za-z]\w{1,60}))(?<keep>=["']?)(?<secret>(?:(?!,[A-Za-z]\w{0,60}=)[^\s"'&;]){4,9999})/g,
  // In a list, a call or braces: `NAME=value,OTHER=value`
  /(?<=(?<name>[A-Za-z][\w.-]{1,60}))(?<keep>=)(?<secret>[A-Za-z0-9+/~-]{16,9999})(?=[,)}\]|:])/g,
  /(?<keep>(?<![\w-])--(?<name>[A-Za-z][\w.-]{1,60})\s{1,4}["']?)(?<secret>[^\s"'-][^\s"']{3,9999})/g,
  // A line of YAML or INI, or a header
  /(?<keep>(?:^|(?<=["']))[ \t]{0,40}(?:- )?["']?(?<name>[A-Za-z][\w.-]{1,60})["']?(?::|[ \t]{1,4}=)[ \t]{1,4}["']?)(?<secret>[^\s"'{[|>][^\s"']{3,9999})(?=["']|,?[ \t]{0,4}$)/gm,
  // `setx NAME value`, and a tag
  /(?<keep>\b(?:setx|setenv|set -g?x|ENV|aws configure set|npm config set)\s{1,4}[\w/.]{0,100}?:?(?<name>[A-Za-z_][A-Za-z0-9_]{1,60})\s{1,4}["']?)(?<secret>[^\s"']{6,9999})/g,
  /(?<keep><(?<name>[A-Za-z][\w.-]{1,60})>)(?<secret>[^<>\s]{4,9999})(?=<\/)/g,
  // Code: `name = "value"`, `name: "value"`, `name := "value"`, and words of a sentence
  /(?<keep>(?<![\w.-])(?<name>[A-Za-z][\w.-]{1,60})\s{0,4}(?::=|[:=])\s{0,4}[bru]{0,2}["'`])(?<secret>[^"'`\s]{4,9999})(?=["'`])/g,
  /(?<keep>\b(?<name>(?:API|api|Api|access|secret|Secret|Access) (?:key|Key|token|Token))\s{0,3}(?:[:=]|is:?)\s{1,3}["'`]?)(?<secret>[^\s"'`,;]{4,9999})/g,
  // Code: `environ["NAME"] = "value"`, `setdefault("NAME", "value")`, `"name" => "value"`
  /(?<keep>["'](?<name>[A-Za-z][\w.-]{1,60})["']\s{0,4}(?:\]\s{0,4}=|,|=>)\s{0,4}["'])(?<secret>[^"'\s]{4,9999})(?=["'])/g,
  /(?<keep>(?<![\w:]):(?<name>[A-Za-z]\w{1,60})\s{0,4}=>\s{0,4}["'])(?<secret>[^"'\s]{4,9999})(?=["'])/g,
  // A name and its value, as in manifests and XML: `- name: DB_PASSWORD`, `value: X`
  /(?<keep>\b(?:name|key)["']?\s{0,4}[:=]\s{0,4}["']?(?<name>[A-Za-z][\w.-]{1,60})["']?,?\s{1,60}["']?value["']?\s{0,4}[:=]\s{0,4}["']?)(?<secret>[^\s"'{[]{4,9999})/g,
  /(?<keep>--from-literal[= ](?<name>[A-Za-z][\w.-]{1,60})=["']?)(?<secret>[^\s"']{4,9999})/g,
  // Markdown: `**Password:** X`
  /(?<keep>\*\*(?<name>[A-Za-z][\w. -]{1,60}):?\*\*:?\s{1,4}`?)(?<secret>[^\s`*"'\\]{4,9999})/g,
  // JSON or Python within a text
  /(?<keep>["'](?<name>[A-Za-z][\w.-]{1,60})["']\s{0,4}:\s{0,4}[bru]{0,2}["'])(?<secret>[^"'\n]{4,9999})(?=["'])/g,
  // JSON within JSON
  /(?<keep>\\{1,7}"(?<name>[A-Za-z][\w.-]{1,60})\\{1,7}"\s{0,4}:\s{0,4}\\{1,7}")(?<secret>[^"'\n\\]{4,9999})(?=\\{1,7}")/g,
  // A list of arguments, a cell of a table, a column after a tab, a block of YAML
  /(?<keep>["']--?(?<name>[A-Za-z][\w.-]{1,60})["'],\s{0,9}["'])(?<secret>[^"'\s-][^"'\s]{3,9999})(?=["'])/g,
  /(?<keep>\|\s{0,40}`?(?<name>[A-Za-z][\w.-]{1,60})`?\s{0,40}\|\s{0,40}`?)(?<secret>[^\s|`]{4,9999})(?=`?\s{0,40}\|)/g,
  /(?<keep>(?:^|(?<=[\t"]))(?<name>[A-Za-z][\w.-]{1,60})(?:\t|\\{1,7}t){1,3})(?<secret>[^\s"'\\]{4,9999})/gm,
  /(?<keep>^[ \t]{0,40}(?<name>[A-Za-z][\w.-]{1,60}):[ \t]{1,4}[|>][+-]?\n[ \t]{1,40})(?<secret>[^\s]{4,9999})/gm,
];
/** Parts of credential names in an assignment. Most texts contain none, and the search ends there. */
const ASSIGNMENT =
  /(?:key|token|pass|pwd|secret|auth|cookie|cred|bearer|jwt|pat|sas|sess)[\w.-]{0,20}(?:[\\"'`]{0,8}\]?\s{0,40}[:=,>|]|["']?,?\s{1,60}["']?value|\t|\\{1,7}t| is:? )|--[a-z]|\b(?:set|env )/i;
/** Values that refer to a credential, such as the name of a variable, or say that it is not set. */
const PLACEHOLDER = /^(?:[$<{*•]|(?:none|null|true|false)$|env:|\d{0,9}\.\d+$)/i;
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const isReference = (value: string): boolean => PLACEHOLDER.test(value) || VARIABLE.test(value);
/** `PWD` is the directory of a shell, too. */
const isDirectory = (name: string, value: string): boolean =>
  /^(?:OLD)?PWD$/i.test(name) && /^(?:[A-Za-z]:)?[\\/~]/.test(value);
/** In code an assignment is usually no secret (`token=next_token`). Generated ones are long, with digits. */
const GENERATED = /^(?=[^\d]{0,200}\d)(?=[^A-Za-z]{0,200}[A-Za-z])[A-Za-z0-9+/=~-]{16,}$/;
/** The words from which a wallet is restored. */
const MNEMONIC = /^(?:[a-z]{3,8} ){11,23}[a-z]{3,8}$/;
/** Names of models and files have digits, too, but no long part of digits and letters. */
const RANDOM = /^(?=[^\s/]{16,9999}$).*(?=[^\d]{0,11}\d)(?=[^A-Za-z]{0,11}[A-Za-z])[A-Za-z\d]{12}/;
const isSecretOf = (key: string, parent: string, value: string): boolean =>
  (RANDOM.test(value) && isPossibleKey(key, parent)) || (/mnemonic$/i.test(key) && MNEMONIC.test(value));
/** A password may be short. */
const CHOSEN = /^(?=[^\d]{0,200}\d)(?=[^A-Za-z]{0,200}[A-Za-z])[^\s"'()[\]{},;]{8,}$/;
const PASSWORD = /(?:password|passwd|passphrase|pwd|[_.-]pass)$/i;

interface Masked<T> {
  readonly value: T;
  readonly masked: number;
}

/** Half-open, UTF-16. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The credentials in a text of a rollout. Ranges may overlap. */
export const credentialsIn = (text: string): readonly TextRange[] =>
  rangesIn(text, (form, name, secret) => {
    if (form === ENVIRONMENT || GENERATED.test(secret)) return true;
    return PASSWORD.test(name) && CHOSEN.test(secret);
  });

/** @param isMeant whether a value that is assigned to the name of a credential is one */
function rangesIn(
  text: string,
  isMeant: (form: RegExp, name: string, secret: string) => boolean,
): readonly TextRange[] {
  const ranges: TextRange[] = [];
  const add = (match: RegExpMatchArray, kept: string): void => {
    const start = (match.index ?? 0) + kept.length;
    // Backslashes at the end escape the quote after it.
    const length = match[0].slice(kept.length).replace(/\\+$/, '').length;
    if (length > 0) ranges.push({ start, end: start + length });
  };
  for (const form of FORMS_IN_TEXT) {
    // `matchAll` copies the expression, which takes longer than searching a short text.
    if (text.search(form) === -1) continue;
    for (const match of text.matchAll(form)) add(match, match.groups?.['keep'] ?? '');
  }
  if (!ASSIGNMENT.test(text)) return ranges;
  for (const form of ASSIGNED) {
    for (const match of text.matchAll(form)) {
      const { keep = '', name = '', secret = '' } = match.groups ?? {};
      const isSecret = isCredentialKey(name) && !isReference(secret) && !isDirectory(name, secret);
      if (isSecret && isMeant(form, name, secret)) add(match, keep);
    }
  }
  return ranges;
}

/** Matches most keys and many values. No form of a credential is this short without other characters. */
const TOO_SHORT = /^[\w./-]{0,14}$/;

/** Deeper than any configuration. Deeper values could be neither searched nor copied between threads. */
const DEEPEST = 100;
const TOO_DEEP = '[nested too deeply]';

/**
 * Masks the credentials of a configuration: below their keys, in lists of names and values, behind options
 * of a command line, and in strings and keys. Replaces values that are nested too deeply to be searched.
 *
 * @returns the same value if nothing in it is replaced
 */
export function maskSecrets<T>(value: T): Masked<T> {
  const masker = new Masker();
  const result = masker.walk(value, 0);
  return { value: masker.replaced === 0 ? value : (result as T), masked: masker.masked };
}

class Masker {
  masked = 0;
  /** Masked values, and those nested too deeply. */
  replaced = 0;

  /** @param parent the key of the value */
  walk(value: unknown, depth: number, parent = ''): unknown {
    if (typeof value === 'string') return this.text(value, depth);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return this.tooDeep();
    if (Array.isArray(value)) return this.list(value, depth);
    const isVocabulary = OF_VOCABULARY.some((key) => Object.hasOwn(value, key));
    const name = Object.entries(value).find(([key]) => /^(?:name|key|header)$/i.test(key))?.[1];
    const isNamed = typeof name === 'string' && isCredentialKey(name);
    return this.object(value, depth, (key, inner) => {
      const isOther =
        (isVocabulary && key === 'token') || (typeof inner === 'string' && isDirectory(key, inner));
      const isCredential =
        (isNamed && /^values?$/i.test(key)) ||
        (isCredentialKey(key) && !isOther) ||
        (typeof inner === 'string' && isSecretOf(key, parent, inner));
      return isCredential ? this.mask(inner, depth + 1) : this.walk(inner, depth + 1, key);
    });
  }

  /** Masks the keys by their form, and keeps them distinct. */
  private object(value: object, depth: number, walk: (key: string, inner: unknown) => unknown): unknown {
    const before = this.replaced;
    const numbers = new Map<string, number>();
    let names: Set<string> | undefined;
    const walked = Object.entries(value).map(([key, inner]) => {
      const masked = this.text(key, depth);
      let name = masked;
      if (masked !== key) {
        names ??= new Set(Object.keys(value));
        while (names.has(name)) {
          const number = (numbers.get(masked) ?? 1) + 1;
          numbers.set(masked, number);
          name = `${masked} (${number})`;
        }
        names.add(name);
      }
      return [name, walk(key, inner)];
    });
    return this.replaced === before ? value : Object.fromEntries(walked);
  }

  private list(values: readonly unknown[], depth: number): unknown {
    // Number columns are long and have no keys.
    if (values.every((each) => typeof each === 'number')) return values;
    const before = this.replaced;
    const [name] = values;
    const isPair = values.length === 2 && typeof name === 'string' && isCredentialKey(name);
    const walked = values.map((inner, i) => {
      const previous = values[i - 1];
      const isArgument =
        typeof previous === 'string' &&
        /^--?[A-Za-z]/.test(previous) &&
        (isCredentialKey(previous.replace(/^--?/, '')) ||
          (typeof inner === 'string' && isSecretOf(previous, '', inner)));
      const isSecret =
        i > 0 && (isPair || (isArgument && typeof inner === 'string' && !inner.startsWith('-')));
      return isSecret ? this.mask(inner, depth + 1) : this.walk(inner, depth + 1);
    });
    return this.replaced === before ? values : walked;
  }

  private text(value: string, depth: number): string {
    if (TOO_SHORT.test(value)) return value;
    const whole = this.json(value, depth);
    if (whole !== undefined) return whole;
    let text = '';
    let done = 0;
    for (const { start, end } of rangesIn(value, () => true).toSorted((a, b) => a.start - b.start)) {
      if (start < done || value.slice(start, end).includes(MASK)) continue;
      text += value.slice(done, start) + this.masking();
      done = end;
    }
    return done === 0 ? value : text + value.slice(done);
  }

  /** Some logs keep a configuration as JSON text. @returns undefined if the text is no object or list */
  private json(text: string, depth: number): string | undefined {
    if (!/^\s*[{[]/.test(text)) return undefined;
    try {
      const before = this.replaced;
      const walked = this.walk(parseJson(text), depth + 1);
      return this.replaced === before ? text : JSON.stringify(walked);
    } catch {
      return undefined;
    }
  }

  /** Masks every non-empty string below a credential key. Numbers, booleans and null are kept. */
  private mask(value: unknown, depth: number): unknown {
    if (typeof value === 'string') {
      if (value === '' || isReference(value)) return value;
      return this.masking();
    }
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return this.tooDeep();
    if (Array.isArray(value)) return value.map((inner) => this.mask(inner, depth + 1));
    return this.object(value, depth, (_, inner) => this.mask(inner, depth + 1));
  }

  private masking(): string {
    this.masked++;
    this.replaced++;
    return MASK;
  }

  private tooDeep(): string {
    this.replaced++;
    return TOO_DEEP;
  }
}
