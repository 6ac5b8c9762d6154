from folkmoot.wiring import main

main()
