/** What a program that was ended by SIGPIPE leaves as its exit code: the reader has gone, and that is its right. */
const READER_GONE = 141

/** Takes care that nobody who stops reading (`| head`) sees a stack trace. */
export function minePipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') process.exit(READER_GONE)
      throw error
    })
}

/** Ends the process when all that was written has left it: an exit at once would cut a pipe short. */
export async function exitWith(code: number): Promise<never> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      stream =>
        new Promise(resolve => (stream.writableLength === 0 ? resolve(null) : stream.write('', resolve))),
    ),
  )
  process.exit(code)
}
