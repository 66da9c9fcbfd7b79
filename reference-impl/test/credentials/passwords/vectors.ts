/** Passwords and what Debian's tools made of them. The salt is random, so the commands write other texts each time. */
export interface Vector {
  readonly password: string;
  /** `htpasswd -nbm u PASSWORD` */
  readonly apr1: string;
  /** `openssl passwd -1 PASSWORD` */
  readonly md5: string;
  /** `htpasswd -nbB -C 4 u PASSWORD`, its first 72 bytes only */
  readonly bcrypt: string;
  /** `htpasswd -nbs u PASSWORD` */
  readonly sha1: string;
  /** `htpasswd -nbd u PASSWORD`, its first 8 bytes only */
  readonly crypt: string;
  /** `htpasswd -nb2 u PASSWORD` */
  readonly sha256: string;
  /** `htpasswd -nb5 u PASSWORD` */
  readonly sha512: string;
}

export const VECTORS: readonly Vector[] = [
  {
    password: 'open sesame',
    apr1: '$apr1$fyeRuY4i$2HnFnw.Ds3sed9ZJAdNnB0',
    md5: '$1$hlmHaPu1$T/dECZUA.EXGndG5rUTaT/',
    bcrypt: '$2y$04$rAWG1Usap0riiNlSwGJuF.tVX2oZbn0gXcPBjWg37ekGqh8b0nt3W',
    sha1: '{SHA}W8r/fyL/UzygmbNAjq2HbA67qac=',
    crypt: 'b0Ei9m.FVq9Bc',
    sha256: '$5$8/Yrx7PRbqamB4eA$52v6qNjGdfq4HlhlTDZpCLBKOxuyJm5WKV5ET.UvRl7',
    sha512:
      '$6$si1QqUIM8zbUD7eg$glDu/TA3hxGNdvSy9zWgYX1lDf4oqBYMF3SNc8gqhxzwclD1rWnESmIDjgJTSmftjleFmXPcYetuPrfooGZ160',
  },
  {
    password: 'päss wörd',
    apr1: '$apr1$RZROPos6$BOJKqtxgIcOQ0xnes9jd8.',
    md5: '$1$MVD7dPQq$BQox4z.7cu3s4/l/1w8Ow.',
    bcrypt: '$2y$04$jAlz08wgpY3JYC.aChtnGeNTsV99pnBU1RzGYZVCaLy39kB2FEG5G',
    sha1: '{SHA}/i4CfWuUyOmLaC9O8e9k/TBfbK8=',
    crypt: '/Rst2HGGZBHzI',
    sha256: '$5$4MGkhxjc0ASJm8lu$O3qsSYRQecvPb75Z5a6/mz9SmnGuJq.ydvLY4vnAYN0',
    sha512:
      '$6$tXJ6Y4/NxUDO8khg$J6Uc1VG.8V5puLqEA4betrBkS06IbWNgYQ384E9C4X7tqpFq2E9O3r.sA46usWqVi3cGlUztP2uytdKASCJ.U/',
  },
  {
    password: '',
    apr1: '$apr1$KW4LmYYd$K9XTiYuSGBLN2B0d6U84/.',
    md5: '$1$lIc79tPc$yQWwJ7XCLBj9P8sfVtxHr.',
    bcrypt: '$2y$04$12T5WF/IgY2cxu1qjlv58Ozwsh61Ntr3iODWFfg5za88Reu4U9sqy',
    sha1: '{SHA}2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
    crypt: 'q9J0xmA6frr2g',
    sha256: '$5$T0p2va0wefJFJVWp$e7/2v1REyletUJ8T4yIPufx7XRtOYIfgvlcouGdCmo8',
    sha512:
      '$6$rexeSixUjO8cmf6o$Gn.tmrd6Dksh9vv465SFpWTHhxQX7hASSeQeB8vUZW0XKMgE6UKJUFecH29eeJQnk7XQ3y2lwzKqdEujZQQZz/',
  },
  {
    password: 'a-password-that-is-longer-than-seventy-two-bytes-0123456789-0123456789-0123456789-0123456789',
    apr1: '$apr1$LjWrpC8E$iVpB9sWELde6FiIPgnG8f/',
    md5: '$1$aQjPlEjY$WJD4T8a8MDfQVRZFiBh/F0',
    bcrypt: '$2y$04$sN6qohsahyc9m7mFZGR3RuZU6hnjb.EoY5VT.FdvXXyMh/C9F3mla',
    sha1: '{SHA}qD9GcQ3ayBNT4hkQHOVEbiTKrjg=',
    crypt: '.mwOctXYNxDjo',
    sha256: '$5$/Kn0yVsHe40X7bJE$0jZLZxZf50y4NXt7DJtA6IHh7IE6lmZk8f1SZa8Iuh1',
    sha512:
      '$6$hq9tAkBpfKIJlkx6$/.aCwAJzVret7TqM7uxTcZSldSKaM5HsVkoELTIE6EEIL/EPsiG2uhS8egW.snoE5/GkiHT4DO2NyDKVyoXet1',
  },
];

/** Of "open sesame": `htpasswd -nb2 -r 1000` and `htpasswd -nb5 -r 12345`. */
export const WITH_ROUNDS: readonly string[] = [
  '$5$rounds=1000$CeL2J27Fk/DY8sUV$le5SFVV7haZRCBj32fShsNIwekIXNp8BhBR2Pb3.CvA',
  '$6$rounds=12345$KSeAfmKq5ena0k.j$tHGr0ASRq/TYlqnmKFa7kGwvQ3LIpX.NJeeuyvj/trSygckSJ.q1fUQgNEBqakbec5y2pNM6AjdaLSe0f1wHQ/',
];
