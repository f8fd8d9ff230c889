/**
 * Who we are to the browser. The id of the Chromium extension is a hash of this public key, so it is the same
 * in every checkout and in every profile; the native host admits this id and no other. The private half was
 * discarded: an unpacked or store-signed extension does not need it.
 */
export const EXTENSION_KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2RU7ljDYpmXPM/QG/7uZwCbWghjAb6bZZr0v2S6sxpuvB+m1BbbGkBf8' +
  'Jv4rUty+z9nG/ZlMkLyPiPhVdzLDQWrv3zb57FLqvv5x3RxI9R1rTWfN1EvvCtch37BbWM/ZbgGWcPgCDwU1BmpPcfqErALERx8Rz' +
  'hxG08pJ2z4MGJoiNZ4MOAOfu7c7hf1ULKJ7a7ceLRXLAvNFb4taPQnok+2OqjAl7ITQbF98rsweS5aFBvB7wbXshFFs3eRSB1A6vF' +
  'DSg1x3itKu7/aXlnhscYP/PumC7115HPz544VW8ZT8HhnT2woKrdimQbl7QNjAfETVbiurc5v20mORJaIOAQIDAQAB'

/** Chromium's id of the extension: the first 128 bits of sha256 over the key's DER, written in a–p. */
export const EXTENSION_ID = 'bmhgikicjohdkplbpkdjjipgapbemcnj'

/** Firefox's id of the extension. */
export const FIREFOX_ID = 'bridge@unicli.dev'

/** The name under which browsers look up the native messaging host. */
export const HOST_NAME = 'dev.unicli.bridge'
